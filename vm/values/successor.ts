/** The text that follows `text` as in Ruby: `az` → `ba`, `Zz` → `AAa`, `a9` → `b0`, the last letters and digits count. */
export function successor(text: string): string {
  if (text === '') return '';
  const units = text.split('');
  const hasAlnum = /[A-Za-z0-9]/.test(text);
  for (let i = units.length - 1; i >= 0; i--) {
    if (hasAlnum && !/[A-Za-z0-9]/.test(units[i])) continue;
    const [next, carry] = bump(units[i], hasAlnum);
    units[i] = next;
    if (!carry) return units.join('');
    if (!hasAlnum || !/[A-Za-z0-9]/.test(units.slice(0, i).join(''))) {
      units.splice(i, 0, carry);
      return units.join('');
    }
  }
  return units.join('');
}

/** The next character and what to put in front when it wraps around (empty: no wrap). */
function bump(unit: string, alnum: boolean): [string, string] {
  if (unit === 'z') return ['a', 'a'];
  if (unit === 'Z') return ['A', 'A'];
  if (unit === '9' && alnum) return ['0', '1'];
  return [String.fromCharCode(unit.charCodeAt(0) + 1), ''];
}
