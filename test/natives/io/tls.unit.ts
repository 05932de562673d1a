/** Certificates of servers and clients. */
import { createServer, type ServerOptions } from 'node:https';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { certificate, WITH_OPENSSL } from './certificates.js';
import { directory, output, showing } from './support.js';

const SHOW = `
port = argv()[0]
dir = argv()[1]
${showing('.gsub(argv()[0], "PORT")')}`;

/** Starts a server on loopback for a test. Returns its port. */
async function serveSecurely(t: Test, options: ServerOptions, listener: RequestListener): Promise<string> {
  const server = createServer({ keepAliveTimeout: 60_000, ...options }, listener);
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return String((server.address() as AddressInfo).port);
}

t.test('the certificate has to be for the host of the URL', WITH_OPENSSL, async (t) => {
  const dir = await directory(t);
  const other = certificate(dir, 'other', 'DNS:other.test');
  const own = certificate(dir, 'own');
  const listener: RequestListener = (req, res) => res.end(`${req.headers.host} ${req.socket.remotePort}`);
  const wrong = await serveSecurely(t, other, listener);
  const right = await serveSecurely(t, own, listener);
  t.equal(
    await output(
      t,
      `${SHOW}
ca = file_read("#{dir}/other.pem")
["localhost", "127.0.0.1"].each do |host|
  ["other.test", "127.0.0.1", nil].each do |name|
    show(-> { http("GET", "https://#{host}:#{port}", ca: ca, headers: name == nil ? {} : {Host: name}).body })
  end
end
client = http_client(ca: file_read("#{dir}/own.pem"))
["localhost", "127.0.0.1"].each do |host|
  answers = ["other.test", "127.0.0.1", "localhost"].map { |name| client.get("https://#{host}:#{argv()[2]}", headers: {Host: name}).body.split(" ") }
  p answers.map(&:first), answers.map(&:last).uniq.length
end
`,
      wrong,
      dir,
      right,
    ),
    `${['localhost', '127.0.0.1']
      .map((host) =>
        `ConnectionError: cannot get an answer from ${host}:PORT: the certificate belongs to another host (GET https://${host}:PORT/)\n`.repeat(
          3,
        ),
      )
      .join('')}${'(Vector) ["other.test", "127.0.0.1", "localhost"]\n(Integer) 1\n'.repeat(2)}`,
  );
});

t.test('unusable certificates and keys', WITH_OPENSSL, async (t) => {
  const dir = await directory(t);
  certificate(dir, 'own');
  certificate(dir, 'other');
  t.equal(
    await output(
      t,
      `${SHOW}
cert = file_read("#{dir}/own.pem")
key = file_read("#{dir}/own.key")
show(-> { http_client(ca: "x") })
show(-> { http_client(ca: "") })
show(-> { http_client(ca: key) })
show(-> { http_client(cert: "x", key: key) })
show(-> { http_client(cert: cert, key: "x") })
show(-> { http_client(cert: key, key: cert) })
show(-> { http_client(cert: cert, key: file_read("#{dir}/other.key")) })
show(-> { http("GET", "https://127.0.0.1:1/", ca: "x") })
show(-> { http_client(ca: "own\n" + cert + cert, cert: cert + cert, key: key) })
`,
      'none',
      dir,
    ),
    `ArgumentError: ca is not a certificate in PEM
ArgumentError: ca is not a certificate in PEM
ArgumentError: ca is not a certificate in PEM
ArgumentError: cert is not a certificate in PEM
ArgumentError: key is not a private key in PEM without a passphrase
ArgumentError: cert is not a certificate in PEM
ArgumentError: key does not belong to the certificate in cert
ArgumentError: ca is not a certificate in PEM
(HttpClient) <HttpClient>
`,
  );
});
