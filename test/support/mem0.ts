import { hash } from 'node:crypto';
import { clientOf, type Client } from './api.ts';
import type { ServerAddress } from './server.ts';

/** A client that sends what mem0's Python client 2.2.1 sends: its headers, below `/compat/mem0`. */
export function mem0Client(server: Pick<ServerAddress, 'url'>, key: string): Client {
  return clientOf({ url: `${server.url}/compat/mem0` }, undefined, {
    accept: '*/*',
    'user-agent': 'python-httpx/0.28.1',
    authorization: `Token ${key}`,
    'mem0-user-id': hash('md5', key),
    'x-mem0-client': 'mem0-python/2.2.1',
  });
}
