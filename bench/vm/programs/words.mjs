function textOf(count) {
  const syllables = 'ka lo mi ne ru ta so vi pe du an er'.split(' ');
  const words = [];
  let seed = 1;
  while (words.length < count) {
    seed = (seed * 171) % 30269;
    let word = syllables[seed % 12] + syllables[seed % 7];
    if (seed % 3 === 0) word += syllables[seed % 11];
    words.push(word);
  }
  return words.join(' ');
}

function countWords(text) {
  const counts = new Map();
  for (const word of text.split(' ')) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function report(text) {
  const top = [...countWords(text)].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).slice(0, 5);
  return top.map(([word, count]) => `${word}=${count}`).join(' ');
}

export function run() {
  return report(`${textOf(2000)} `.repeat(40).trimEnd());
}
