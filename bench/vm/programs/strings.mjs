function build(count) {
  const lines = [];
  for (let i = 0; i < count; i++) lines.push(`item ${i}: ${(i * 7) % 1000} of ${i % 13}`);
  return lines.join('\n');
}

function digest(text) {
  let out = '';
  for (const line of text.split('\n')) {
    const name = line.split(':')[0];
    if (name.endsWith('7')) out += `${name.toUpperCase().replaceAll('ITEM', 'no.')};`;
    else if (line.includes('999')) out += `${[...line.slice(5, 10)].reverse().join('')},`;
  }
  return out;
}

export function run() {
  const out = digest(build(20_000));
  return `${out.length} ${out.slice(0, 21)} ${out.slice(-20)}`;
}
