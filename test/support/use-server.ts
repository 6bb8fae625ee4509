import { afterAll, beforeAll, inject } from 'vitest';
import { startServer, type ServerAddress, type TestServer, type TestServerOptions } from './server.ts';
import type { ServerKind } from './server-keeper.ts';

/** One server for all tests of a file: started before the first, removed after the last, there only in between. */
export function useServer(options: TestServerOptions = {}): TestServer {
  let started: TestServer | undefined;
  beforeAll(async () => {
    started = await startServer(options);
  });
  afterAll(() => started?.remove());
  return new Proxy({} as TestServer, { get: (_, name) => Reflect.get(started!, name) as unknown });
}

/**
 * The server that all files share which ask for one of its kind: for tests that keep to tenants of their own, and look
 * at nothing but answers.
 */
export function useSharedServer(kind: ServerKind = 'onnx'): ServerAddress {
  let kept: ServerAddress | undefined;
  beforeAll(async () => {
    const response = await fetch(`${inject('serverKeeper')}/${kind}`);
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    kept = JSON.parse(text) as ServerAddress;
  });
  return new Proxy({} as ServerAddress, { get: (_, name) => Reflect.get(kept!, name) as unknown });
}
