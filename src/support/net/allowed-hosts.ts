import { isIP, isIPv4, type BlockList } from 'node:net';
import { addressOfHost, blockListOf, isPublicAddress } from './addresses.ts';

interface NamedHost {
  readonly host: string;
  readonly port: number | undefined;
}

/** Where a request goes: the host of its URL, its port, and the address that the host has. */
export interface Destination {
  readonly host: string;
  readonly port: number;
  readonly address: string;
}

/** Which addresses may be fetched: public ones, and those that an operator named. */
export class AllowedHosts {
  readonly #hosts: readonly NamedHost[];
  readonly #subnets: BlockList;

  /** `entries` are hosts, `host:port`, addresses and subnets, as `isAllowedEntry` accepts them. */
  constructor(entries: readonly string[] = []) {
    const isSubnet = (entry: string) => entry.includes('/');
    this.#subnets = blockListOf(entries.filter(isSubnet));
    this.#hosts = entries.filter((entry) => !isSubnet(entry)).map(hostOf);
  }

  permits({ host, port, address }: Destination): boolean {
    const name = addressOfHost(host) ?? host.toLowerCase();
    if (this.#hosts.some((each) => each.host === name && (each.port === undefined || each.port === port)))
      return true;
    return this.#subnets.check(address, isIPv4(address) ? 'ipv4' : 'ipv6') || isPublicAddress(address);
  }
}

/** Whether an entry is a host, `host:port`, an address or a subnet. */
export function isAllowedEntry(entry: string): boolean {
  if (entry.includes('/')) {
    const [network = '', prefix = '', ...rest] = entry.split('/');
    const version = isIP(network);
    return (
      rest.length === 0 &&
      version !== 0 &&
      /^\d{1,3}$/.test(prefix) &&
      Number(prefix) <= (version === 4 ? 32 : 128)
    );
  }
  const { host, port } = hostOf(entry);
  const isHost = isIP(host) !== 0 || /^[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?$/.test(host);
  return isHost && (port === undefined || (port >= 1 && port <= 65_535));
}

function hostOf(entry: string): NamedHost {
  const lower = entry.toLowerCase();
  if (isIP(lower) !== 0) return { host: lower, port: undefined };
  const { host = lower, port } = /^(?<host>.*?)(?::(?<port>\d+))?$/.exec(lower)?.groups ?? {};
  return { host: addressOfHost(host) ?? host, port: port === undefined ? undefined : Number(port) };
}
