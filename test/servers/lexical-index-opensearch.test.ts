import { randomBytes } from 'node:crypto';
import { Client } from '@opensearch-project/opensearch';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openOpenSearch, type OpenSearchOptions } from '../../src/adapters/opensearch/opensearch.ts';
import {
  DocumentsRefused,
  LexicalIndexUnavailable,
  type LexicalIndex,
} from '../../src/ports/lexical-index.ts';
import { OpenSearchError } from '../../src/adapters/opensearch/errors.ts';
import { lexicalIndexContract } from '../contract/lexical-index.ts';
import { document, find, freshGeneration, put, type IndexUnderTest } from '../support/lexical-documents.ts';
import { tlsFront } from '../support/tls-front.ts';

const url = process.env['STRATALOG_OPENSEARCH_URL'];

/** An index with a new prefix. Its indexes are removed at the end. */
function openFresh(node: string, shards: number): IndexUnderTest & { readonly prefix: string } {
  const prefix = `test-${randomBytes(6).toString('hex')}`;
  const opened: LexicalIndex[] = [];
  const again = (): LexicalIndex => {
    const index = openOpenSearch({ url: node, prefix, shards });
    opened.push(index);
    return index;
  };
  return {
    prefix,
    index: again(),
    again,
    async close() {
      const last = again();
      for (const generation of await last.generations()) await last.dropGeneration(generation);
      await Promise.all(opened.map((index) => index.close()));
    },
  };
}

if (url) {
  // Expunging one shard is tested with its files in lexical-upkeep.test.ts.
  lexicalIndexContract('OpenSearch', async () => openFresh(url, 1), { expunges: false });
  // Limits apply to all shards together, and the documents of a tenant are in one shard.
  lexicalIndexContract('OpenSearch with three shards', async () => openFresh(url, 3));

  describe('the OpenSearch adapter', () => {
    let fresh: ReturnType<typeof openFresh>;
    let client: Client;

    beforeAll(() => {
      fresh = openFresh(url, 1);
      client = new Client({ node: url });
    });

    afterAll(async () => {
      await client.close();
      await fresh.close();
    });

    it('[G3] creates indexes that refuse unknown fields, and documents without routing', async () => {
      const generation = await freshGeneration(fresh.index);
      const index = `${fresh.prefix}.${generation}`;
      const known = { tenant: 'acme', memoryId: 'a', revision: 0, deleted: false, body: 'beacon' };
      const write = (body: object, routing?: string) =>
        client.index({ index, id: 'a', body, ...(routing && { routing }) }).then(
          () => 'taken',
          (error: { body: { error: { type: string } } }) => error.body.error.type,
        );
      expect(await write({ ...known, surprise: 1 }, 'acme')).toBe('strict_dynamic_mapping_exception');
      expect(await write({ ...known, scope: { galaxy: 'x' } }, 'acme')).toBe(
        'strict_dynamic_mapping_exception',
      );
      expect(await write(known)).toBe('routing_missing_exception');
      expect(await write(known, 'acme')).toBe('taken');
      const { body } = await client.get({ index, id: 'a', routing: 'acme' });
      // Texts are indexed but not stored.
      expect(body._source).toEqual({ tenant: 'acme', memoryId: 'a', revision: 0, deleted: false });
    });

    it('does not find documents that are marked as deleted, whatever other fields they have', async () => {
      const generation = await freshGeneration(fresh.index);
      const index = `${fresh.prefix}.${generation}`;
      for (const deleted of [true, false]) {
        const memoryId = deleted ? 'gone' : 'there';
        const body = { tenant: 'acme', memoryId, revision: 0, deleted, body: 'beacon' };
        await client.index({ index, id: memoryId, routing: 'acme', body });
      }
      await fresh.index.refresh(generation);
      expect(await find(fresh.index, generation, 'beacon')).toEqual(['there']);
    });

    it('reports a document that is rejected, without its content, and writes the others', async () => {
      const generation = await freshGeneration(fresh.index);
      const good = [document('beacon one'), document('beacon two')];
      const bad = document('beacon three', { scope: { org: 'secret '.repeat(5_000) }, revision: 4 });
      const error: unknown = await fresh.index
        .write(generation, [good[0]!, bad, good[1]!])
        .catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(DocumentsRefused);
      const { tenant, memoryId, revision } = bad;
      const reason = expect.stringMatching(/^400 [a-z_]+$/) as string;
      expect((error as DocumentsRefused).documents).toEqual([{ tenant, memoryId, revision, reason }]);
      expect(String(error)).not.toContain('secret');
      await fresh.index.refresh(generation);
      expect(new Set(await find(fresh.index, generation, 'beacon'))).toEqual(
        new Set(good.map(({ memoryId }) => memoryId)),
      );
    });

    it('[F4] switches the alias atomically: readers see one index or the other, never both or none', async () => {
      const generations = [await freshGeneration(fresh.index), await freshGeneration(fresh.index)] as const;
      const documents = [document('lighthouse'), document('lighthouse')] as const;
      for (const place of [0, 1] as const) await put(fresh.index, generations[place], documents[place]);
      await fresh.index.serve(generations[0]);
      const answers = new Set<string>();
      let switching = true;
      const reader = async (): Promise<void> => {
        while (switching) {
          const { body } = await client.search({
            index: fresh.prefix,
            body: { query: { match: { body: { query: 'lighthouse' } } } },
          });
          answers.add(
            body.hits.hits.map(({ _source }) => (_source as { memoryId: string }).memoryId).join(' and '),
          );
        }
      };
      const readers = [reader(), reader()];
      for (let turn = 1; turn <= 30; turn++) await fresh.index.serve(generations[turn % 2]!);
      switching = false;
      await Promise.all(readers);
      expect(answers).toEqual(new Set(documents.map(({ memoryId }) => memoryId)));
    });

    it('does not touch indexes with another prefix', async () => {
      const mine = await freshGeneration(fresh.index);
      const neighbour = openOpenSearch({ url, prefix: `${fresh.prefix}-2` });
      try {
        await neighbour.createGeneration(mine);
        await neighbour.serve(mine);
        await fresh.index.serve(mine);
        await fresh.index.dropGeneration(mine);
        expect(await neighbour.generations()).toEqual([mine]);
        expect(await neighbour.serving()).toBe(mine);
        expect(await fresh.index.generations()).not.toContain(mine);
      } finally {
        await neighbour.dropGeneration(mine);
        await neighbour.close();
      }
    });

    it('[I5] connects over TLS with a password, and fails with another certificate or a wrong password', async () => {
      const front = await tlsFront(url, 'stratalog', 'pässword: 1');
      const auth = { username: 'stratalog', password: 'pässword: 1' };
      const tls = { ca: front.certificate };
      const { prefix } = fresh;
      const generation = await freshGeneration(fresh.index);
      const through = async <T>(
        options: Partial<OpenSearchOptions>,
        work: (index: LexicalIndex) => Promise<T>,
      ): Promise<T> => {
        const index = openOpenSearch({ url: front.url, prefix, readPatienceMs: 200, ...options });
        return work(index).finally(() => index.close());
      };
      try {
        const one = document('beacon');
        const found = await through({ auth, tls }, async (index) => {
          await index.write(generation, [one]);
          await index.refresh(generation);
          return find(index, generation, 'beacon');
        });
        expect(found).toEqual([one.memoryId]);
        const health = (index: LexicalIndex) => index.health();
        expect(await through({ auth, tls: { rejectUnauthorized: false } }, health)).toMatchObject({
          distribution: 'opensearch',
        });
        await expect(through({ auth }, health)).rejects.toBeInstanceOf(LexicalIndexUnavailable);
        await expect(through({ auth }, health)).rejects.toThrow(/self-signed certificate/);
        for (const wrong of [{ tls }, { tls, auth: { ...auth, password: 'guessed' } }]) {
          const error: unknown = await through(wrong, health).catch((reason: unknown) => reason);
          expect(error).toBeInstanceOf(OpenSearchError);
          expect(error).toMatchObject({ status: 401 });
          expect(String(error)).not.toContain('guessed');
        }
      } finally {
        await front.close();
      }
    });
  });
} else describe.skip('OpenSearch as LexicalIndex: STRATALOG_OPENSEARCH_URL is not set', () => {});
