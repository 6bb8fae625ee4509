import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { openOpenSearch } from '../../src/adapters/opensearch/opensearch.ts';
import { NoSuchGeneration, type LexicalIndex } from '../../src/ports/lexical-index.ts';

const noSuchIndex = { error: { type: 'index_not_found_exception', reason: 'no such index' } };
const refreshed = { _shards: { total: 1, successful: 1, failed: 0 } };

describe('[G3] a refresh that is answered with "no such index"', () => {
  let server: http.Server;
  let index: LexicalIndex;

  afterEach(async () => {
    await index.close();
    server.closeAllConnections();
    server.close();
  });

  /** An index whose server answers a refresh with 404 once for each of `statuses`, which it answers when asked whether there is an index. */
  async function openStarting(statuses: readonly number[]): Promise<{ readonly refreshes: () => number }> {
    let [refreshes, asked] = [0, 0];
    server = http.createServer((request, response) => {
      const isRefresh = request.url?.includes('_refresh');
      if (isRefresh) refreshes++;
      const [status, body] = isRefresh
        ? refreshes <= statuses.length
          ? [404, noSuchIndex]
          : [200, refreshed]
        : [statuses[asked++] ?? 404, {}];
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    index = openOpenSearch({ url: `http://127.0.0.1:${port}`, writePatienceMs: 10_000 });
    return { refreshes: () => refreshes };
  }

  it('is repeated while the node has not read its state', async () => {
    const { refreshes } = await openStarting([503, 200]);
    await index.refresh('g1');
    expect(refreshes()).toBe(3);
  });

  it('fails at once if the index is missing', async () => {
    const { refreshes } = await openStarting([404]);
    await expect(index.refresh('g1')).rejects.toBeInstanceOf(NoSuchGeneration);
    expect(refreshes()).toBe(1);
  });
});
