import { afterAll, beforeAll, inject } from 'vitest';
import { startServer, type ServerAddress, type TestServer, type TestServerOptions } from './server.ts';
import type { ServerKind } from './shared-servers.ts';

export interface OwnServerOptions extends TestServerOptions {
  /** What the shared server cannot offer. A server costs seconds: most files need a tenant of their own, not a server. */
  readonly because: string;
}

/** A server for the tests of one file alone: started before the first test, removed after the last. */
export function useServer({ because: _, ...options }: OwnServerOptions): TestServer {
  let started: TestServer | undefined;
  beforeAll(async () => {
    started = await startServer(options);
  });
  afterAll(() => started?.remove());
  return new Proxy({} as TestServer, { get: (_target, name) => Reflect.get(started!, name) as unknown });
}

/** The server that all files share. Their tests use tenants of their own and look at answers only. */
export function useSharedServer(kind: ServerKind = 'onnx'): ServerAddress {
  let shared: ServerAddress | undefined;
  beforeAll(async () => {
    const response = await fetch(`${inject('sharedServers')}/${kind}`);
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    shared = JSON.parse(text) as ServerAddress;
  });
  return new Proxy({} as ServerAddress, { get: (_target, name) => Reflect.get(shared!, name) as unknown });
}
