/** Which addresses belong to the public internet. */
import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** IPv4 networks that are not public (IANA's special-purpose registry), and multicast. */
const NOT_PUBLIC_4 = `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24
  192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4`;

/** The same for IPv6, within 2000::/3, outside of which no address is public: Teredo, documentation, 6to4. */
const NOT_PUBLIC_6 = '2001::/23 2001:db8::/32 2002::/16 3fff::/20';

const listed4 = listOf(NOT_PUBLIC_4, 'ipv4');
const listed6 = listOf(NOT_PUBLIC_6, 'ipv6');
const global6 = listOf('2000::/3', 'ipv6');

function listOf(networks: string, family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const network of networks.split(/\s+/)) {
    const [address, bits] = network.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/**
 * The IPv4 address that an IPv6 address stands for: mapped (::ffff:0:0/96) or translated (64:ff9b::/96); null if none.
 */
function embedded(address: string): string | null {
  // URL writes an address in its shortest form, with hexadecimal digits only.
  const [, high, low] =
    /^\[(?:::ffff|64:ff9b:):([0-9a-f]+):([0-9a-f]+)\]$/.exec(new URL(`http://[${address}]`).hostname) ?? [];
  if (high === undefined) return null;
  const bits = (parseInt(high, 16) << 16) | parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255).join('.');
}

/** Whether an IP address is public: not private, loopback, link-local, multicast, reserved or for documentation. */
export function isPublic(address: string): boolean {
  if (isIPv4(address)) return !listed4.check(address, 'ipv4');
  const [plain] = address.split('%');
  if (!isIPv6(plain)) return false;
  const inner = embedded(plain);
  if (inner !== null) return isPublic(inner);
  return global6.check(plain, 'ipv6') && !listed6.check(plain, 'ipv6');
}
