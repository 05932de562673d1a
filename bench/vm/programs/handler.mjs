function showUser(id, name) {
  const tags = [];
  for (let i = 0; i < 3; i++) tags.push(`${name}-${i}`);
  const user = { id, name, greeting: `Hello, ${name}!`, tags, ok: true };
  if (user.id % 2 === 0) user.ok = false;
  return JSON.stringify(user);
}

export function run() {
  let bytes = 0;
  for (let id = 0; id < 20_000; id++) bytes += showUser(id, 'alice').length;
  return bytes;
}
