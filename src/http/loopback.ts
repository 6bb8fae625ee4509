import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from '../domain/problems.ts';

/** Whether only this machine reaches a server that listens there. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/**
 * For what asks for no credential: whatever page a browser on this machine shows could ask for it, from its own origin,
 * or by a name of its own that leads here. Throws `forbidden`.
 */
export function assertLocal({ host = '', origin }: IncomingHttpHeaders): void {
  for (const [name, url] of [
    ['Host', `http://${host}`],
    ['Origin', origin],
  ] as const) {
    if (url === undefined || (URL.canParse(url) && isLoopback(bare(new URL(url).hostname)))) continue;
    throw new Problem(
      'forbidden',
      `without a credential only this machine is answered, by localhost or 127.0.0.1: ${name} names another. Create a key (\`stratalog keys create\`), or call by one of these names`,
    );
  }
}

/** Without the brackets around IPv6. */
function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}
