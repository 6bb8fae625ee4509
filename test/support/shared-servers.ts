import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { startServer, type ServerAddress, type TestServer } from './server.ts';

/** By the embedder that it runs with. */
export type ServerKind = 'onnx' | 'deterministic';

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers `GET /<kind>` with a `ServerAddress`, which it starts where nobody has asked for one before. */
    serverKeeper: string;
  }
}

/** Keeps the servers that test files share, in the process that all of them run below. */
export default async function keepServers(project: TestProject): Promise<() => Promise<void>> {
  const servers = new Map<string, Promise<TestServer>>();
  const keeper = createServer((request, response) => {
    const kind = request.url!.slice(1);
    const server = servers.get(kind) ?? startServer({ environment: { STRATALOG_EMBEDDER: kind } });
    servers.set(kind, server);
    server.then(
      ({ url, masterKey }) => response.end(JSON.stringify({ url, masterKey } satisfies ServerAddress)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  keeper.listen(0, '127.0.0.1');
  await once(keeper, 'listening');
  project.provide('serverKeeper', `http://127.0.0.1:${(keeper.address() as AddressInfo).port}`);
  return async () => {
    keeper.close();
    const started = await Promise.allSettled(servers.values());
    await Promise.all(started.map((one) => one.status === 'fulfilled' && one.value.remove()));
  };
}
