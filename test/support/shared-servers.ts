import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { startServer, type ServerAddress, type TestServer } from './server.ts';

/**
 * The embedder of a shared server: the default model, the English one, which takes half the time and suffices for English tests, or one
 * without meaning, which takes none.
 */
export type ServerKind = 'multilingual' | 'english' | 'deterministic';

const environments: Readonly<Record<string, Record<string, string>>> = {
  multilingual: {},
  english: { STRATALOG_EMBEDDING_MODEL: 'bge-small-en-v1.5' },
  deterministic: { STRATALOG_EMBEDDER: 'deterministic' },
};

declare module 'vitest' {
  interface ProvidedContext {
    /** URL that answers `GET /<kind>` with a `ServerAddress`, starting that server on the first request. */
    sharedServers: string;
  }
}

/** Starts the servers that all test files of a run share, and stops them at its end. Runs in the main process of vitest. */
export default async function holdSharedServers(project: TestProject): Promise<() => Promise<void>> {
  const servers = new Map<string, Promise<TestServer>>();
  const registry = createServer((request, response) => {
    const kind = request.url!.slice(1);
    const server = servers.get(kind) ?? startServer({ environment: environments[kind]!, isLongLived: true });
    servers.set(kind, server);
    server.then(
      ({ url, masterKey }) => response.end(JSON.stringify({ url, masterKey } satisfies ServerAddress)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  registry.listen(0, '127.0.0.1');
  await once(registry, 'listening');
  project.provide('sharedServers', `http://127.0.0.1:${(registry.address() as AddressInfo).port}`);
  return async () => {
    registry.close();
    const started = await Promise.allSettled(servers.values());
    await Promise.all(started.map((one) => one.status === 'fulfilled' && one.value.remove()));
  };
}
