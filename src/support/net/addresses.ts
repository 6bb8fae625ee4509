import { BlockList, isIP, isIPv4 } from 'node:net';

/** IPv4 that no public server has: private, local, shared, reserved, multicast, and the one where a cloud answers its own machines. */
const notPublic4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/** Parts of the public IPv6 space, 2000::/3, that no public server has. Tunnels are among them: they lead to any IPv4. */
const notPublic6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'];

const refused4 = blockListOf(notPublic4);
const refused6 = blockListOf(notPublic6);
const public6 = blockListOf(['2000::/3']);

/**
 * Whether an address may be that of a public server. An IPv6 address that stands for an IPv4 one, mapped (::ffff:0:0/96) or translated
 * (64:ff9b::/96), is as public as that.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !refused4.check(address, 'ipv4');
  const plain = address.replace(/%.*$/, '');
  if (isIP(plain) !== 6) return false;
  const embedded = embeddedIPv4(plain);
  if (embedded !== undefined) return isPublicAddress(embedded);
  return public6.check(plain, 'ipv6') && !refused6.check(plain, 'ipv6');
}

/** The IPv4 address that an IPv6 address stands for. */
export function embeddedIPv4(address: string): string | undefined {
  const groups = groupsOf(address);
  const leading = groups.slice(0, 6).join(':');
  if (leading !== '0:0:0:0:0:65535' && leading !== '100:65435:0:0:0:0') return undefined;
  const [high = 0, low = 0] = groups.slice(6);
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

/** The eight groups of a valid IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::');
  const left = partsOf(head);
  if (tail === undefined) return left;
  const right = partsOf(tail);
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
}

function partsOf(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((part) => {
    if (!part.includes('.')) return [Number.parseInt(part, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

/** The addresses of subnets in CIDR notation. Throws if one is none. */
export function blockListOf(subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = '', prefix] = subnet.split('/');
    list.addSubnet(network, Number(prefix), isIPv4(network) ? 'ipv4' : 'ipv6');
  }
  return list;
}

/** The address in a host of a URL, which puts IPv6 in brackets; undefined for a name. */
export function addressOfHost(host: string): string | undefined {
  const plain = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  return isIP(plain) === 0 ? undefined : plain;
}
