import { afterAll, beforeAll, inject } from 'vitest';
import { startServer, type ServerAddress, type TestServer, type TestServerOptions } from './server.ts';
import type { ServerKind } from './shared-servers.ts';

export interface OwnServerOptions extends TestServerOptions {
  /** Why the shared server is not enough. A server takes seconds to start; most files only need their own tenant. */
  readonly because: string;
}

/** A server for the tests of one file, started before the first test and removed after the last. */
export function useServer({ because: _, ...options }: OwnServerOptions): TestServer {
  let started: TestServer | undefined;
  beforeAll(async () => {
    started = await startServer(options);
  });
  afterAll(() => started?.remove());
  return new Proxy({} as TestServer, { get: (_target, name) => Reflect.get(started!, name) as unknown });
}

/**
 * Makes sure that there is a usable connection. Files share the connections of their worker, and those that no test used for over a
 * minute may just be closed by the server: the first request of a file would fail then.
 */
async function connect({ url }: ServerAddress): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await (await fetch(`${url}/livez`)).arrayBuffer();
      return;
    } catch (error) {
      if (attempt === 3) throw error;
      console.warn('the shared server was not reached', error);
    }
  }
}

/** The server that all files share. Tests use their own tenants and check only answers. */
export function useSharedServer(kind: ServerKind = 'english'): ServerAddress {
  let shared: ServerAddress | undefined;
  beforeAll(async () => {
    const response = await fetch(`${inject('sharedServers')}/${kind}`);
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    shared = JSON.parse(text) as ServerAddress;
    await connect(shared);
  });
  return new Proxy({} as ServerAddress, { get: (_target, name) => Reflect.get(shared!, name) as unknown });
}
