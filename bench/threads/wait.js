import { createServer } from 'node:http';

createServer((req, res) =>
  setTimeout(() => {
    res.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': 4 });
    res.end('done');
  }, 50),
).listen(Number(process.argv[2]), '127.0.0.1');
