import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { inspectOpenSearch } from '../../src/adapters/opensearch/inspect.ts';

interface Answers {
  readonly version: { readonly number: string; readonly distribution?: string };
  readonly health?: string;
  /** Status of the request that creates an index. */
  readonly create?: number;
}

describe('[J7] what OpenSearch lacks', () => {
  let server: http.Server | undefined;
  const requests: string[] = [];

  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  /** Inspects a server that gives these answers. */
  async function inspect({ version, health = 'green', create = 400 }: Answers) {
    server = http.createServer((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      const [status, body] =
        request.method === 'PUT'
          ? [
              create,
              { error: { type: create === 403 ? 'security_exception' : 'illegal_argument_exception' } },
            ]
          : [200, request.url?.startsWith('/_cluster/health') ? { status: health } : { version }];
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return inspectOpenSearch({ url: `http://127.0.0.1:${port}` }, 'mine', 2_000);
  }

  const good = { number: '2.19.6', distribution: 'opensearch' };

  it('is nothing in a tested version', async () => {
    expect(await inspect({ version: good })).toEqual({
      version: 'OpenSearch 2.19.6',
      missing: [],
      notes: [],
    });
    expect(requests).toContain('PUT /mine.doctor');
  });

  it.each<[string, Answers, RegExp]>([
    ['an older version', { version: { ...good, number: '2.11.1' } }, /OpenSearch 2\.19 or later/],
    ['another product', { version: { number: '8.19.7' } }, /another product/],
    ['a red cluster', { version: good, health: 'red' }, /the cluster is red/],
    [
      'a login that may make no index',
      { version: good, create: 403 },
      /right to create indexes named mine\.\*/,
    ],
  ])('is named for %s', async (_, answers, missing) => {
    expect((await inspect(answers)).missing).toEqual([expect.stringMatching(missing)]);
  });

  it('is nothing, but with a note, in a later major version', async () => {
    const { missing, notes } = await inspect({ version: { ...good, number: '3.2.0' } });
    expect(missing).toEqual([]);
    expect(notes).toEqual([expect.stringContaining('OpenSearch 2')]);
  });
});
