/** Whether a query or form text has more than `limit` pairs, not counting empty ones between `&`s. */
export function tooManyPairs(text: string, limit: number): boolean {
  if (text.length < limit) return false;
  let n = 0;
  for (let start = 0; start < text.length;) {
    let end = text.indexOf('&', start);
    if (end < 0) end = text.length;
    if (end > start && ++n > limit) return true;
    start = end + 1;
  }
  return false;
}
