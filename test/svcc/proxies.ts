import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { freePort } from '../freeport.js';
import { get } from '../web/support/serve.js';
import { until } from '../patience.js';

/** The configuration of nginx in docs/guide/deploying.md without HTTPS, with `port` and the ports of the service. */
function nginx(port: number, services: readonly number[], folder: string): string {
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `  ${name}_temp_path ${folder}/${name};`,
  );
  return `daemon off;
master_process off;
pid ${folder}/pid;
error_log ${folder}/error.log;
events { worker_connections 512; }
http {
  access_log off;
  keepalive_requests 1000000;
${folders.join('\n')}
  upstream notes {
${services.map((service) => `    server 127.0.0.1:${service} max_fails=0;`).join('\n')}
    keepalive 32;
  }
  map $http_upgrade $connection_upgrade {
    default upgrade;
    ''      '';
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://notes;
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header X-Request-Id $request_id;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
      proxy_read_timeout 90s;
    }
  }
}
`;
}

/** The configuration of HAProxy in docs/guide/deploying.md. */
function haproxy(port: number, services: readonly number[]): string {
  return `global
  maxconn 500
defaults
  mode http
  timeout connect 5s
  timeout client 90s
  timeout server 90s
  timeout tunnel 1h
  retries 3
  option redispatch 1
frontend web
  bind 127.0.0.1:${port}
  http-request set-header X-Forwarded-For %[src]
  default_backend notes
backend notes
  balance roundrobin
  http-reuse safe
${services.map((service, i) => `  server notes${i} 127.0.0.1:${service}`).join('\n')}
`;
}

/** Ways from a client to the service. */
export const WAYS = ['direct', 'nginx', 'haproxy'] as const;

/** Options of a test that needs one of the ways: without the proxy it is skipped. */
export function needs(way: (typeof WAYS)[number]): { skip?: string | false } {
  if (way === 'direct') return {};
  const isInstalled = spawnSync(way, ['-v']).error === undefined;
  return { skip: !isInstalled && `${way} is not installed` };
}

/** Starts a proxy, which ends with the test, and returns its port; for `direct`, the port of the first service. */
export async function way(test: Test, name: (typeof WAYS)[number], services: readonly number[]): Promise<number> {
  if (name === 'direct') return services[0];
  const port = await freePort();
  // Not the test's folder, which holds the program.
  const folder = mkdtempSync(join(tmpdir(), 'svc-proxy-'));
  test.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, `${name}.conf`);
  writeFileSync(file, name === 'nginx' ? nginx(port, services, folder) : haproxy(port, services));
  const proxy = spawn(
    name,
    name === 'nginx' ? ['-p', folder, '-e', join(folder, 'error.log'), '-c', file] : ['-db', '-f', file],
    { stdio: 'ignore' },
  );
  test.teardown(() => proxy.kill('SIGKILL'));
  await until(name, () =>
    get(port, '/ready').then(
      ({ status }) => status === 200,
      () => false,
    ),
  );
  return port;
}
