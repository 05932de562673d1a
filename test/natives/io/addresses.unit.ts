import t from 'tap';
import { isPublic } from '../../../natives/io/client/addresses.js';
import { proxyFor } from '../../../natives/io/client/proxies.js';

t.test('public addresses', async (t) => {
  const is = `1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255 172.15.255.255 172.32.0.0 192.167.255.255
    198.17.255.255 198.20.0.0 223.255.255.255 2606:4700::1111 2a00:1450:4001::1 2400:cb00::1 ::ffff:8.8.8.8 ::ffff:808:808 64:ff9b::8.8.8.8`;
  const isNot = `0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 127.0.0.1 127.255.255.255 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.2.1 192.88.99.1 192.168.1.1
    198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 239.1.1.1 240.0.0.1 255.255.255.255 :: ::1 fe80::1 fe80::1%lo fc00::1 fd12::1 ff02::1 fec0::1 100::1 2001::1
    2001:db8::1 2001:10::1 2002:7f00:1::1 3fff::1 ::ffff:127.0.0.1 ::ffff:a00:1 ::ffff:169.254.169.254 ::127.0.0.1 64:ff9b::10.0.0.1 64:ff9b:1::1 5f00::1 nonsense`;
  for (const address of is.split(/\s+/)) t.equal(isPublic(address), true, address);
  for (const address of ['', ...isNot.split(/\s+/)]) t.equal(isPublic(address), false, address);
});

t.test('proxies of the environment', async (t) => {
  const env = { HTTP_PROXY: 'http://p:1', https_proxy: 'q:2', NO_PROXY: 'a.test, .b.test,*.c.test d.test:81 ::1' };
  const proxy = (url: string, variables: Record<string, string> = env): string | null =>
    proxyFor(new URL(url), variables);
  t.equal(proxy('http://x.test/'), 'http://p:1');
  t.equal(proxy('https://x.test/'), 'http://q:2', 'in lower case, without a scheme');
  for (const host of ['a.test', 'www.a.test', 'b.test', 'x.b.test', 'y.c.test', 'd.test:81', '[::1]'])
    t.equal(proxy(`http://${host}/`), null, host);
  for (const host of ['xa.test', 'a.test.org', 'd.test', 'd.test:82', '[::2]'])
    t.equal(proxy(`http://${host}/`), 'http://p:1', host);
  t.equal(proxy('http://x.test/', {}), null);
  t.equal(proxy('http://x.test/', { HTTP_PROXY: ' ' }), null);
  t.equal(proxy('http://x.test/', { HTTP_PROXY: 'http://p', NO_PROXY: '*' }), null);
  t.equal(proxy('https://x.test/', { HTTP_PROXY: 'http://p' }), null, 'for http only');
});
