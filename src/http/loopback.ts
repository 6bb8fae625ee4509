import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from '../domain/problems.ts';

/** Whether a server that listens on this host can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/**
 * Checks a request that needs no credential. Without this check, any page that a browser on this machine shows could send
 * one, from its own origin or through a host name that resolves to this machine. Throws `forbidden`.
 */
export function assertLocal({ host = '', origin }: IncomingHttpHeaders): void {
  for (const [name, url] of [
    ['Host', `http://${host}`],
    ['Origin', origin],
  ] as const) {
    if (url === undefined || (URL.canParse(url) && isLoopback(bare(new URL(url).hostname)))) continue;
    throw new Problem(
      'forbidden',
      `requests without a credential are accepted only for localhost or 127.0.0.1, but ${name} names another host. Create a key (\`stratalog keys create\`), or use one of these names`,
    );
  }
}

/**
 * Checks that a request does not come from the page of another site, whatever its credential. Programs send no Origin.
 * Throws `forbidden`.
 */
export function assertOwnOrigin({ host = '', origin }: IncomingHttpHeaders): void {
  if (origin === undefined) return;
  const from = URL.canParse(origin) ? new URL(origin) : undefined;
  if (from && (from.host === host.toLowerCase() || isLoopback(bare(from.hostname)))) return;
  throw new Problem('forbidden', 'requests from pages of other sites are not accepted, but Origin names one');
}

/** Removes the brackets around an IPv6 address. */
function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}
