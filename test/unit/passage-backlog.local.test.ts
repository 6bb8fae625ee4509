import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deterministicEmbedder } from '../../src/adapters/deterministic/embedder.ts';
import { EmbedderUnavailable, TextRefused, type Embedder } from '../../src/ports/embedder.ts';
import { passagesOf } from '../../src/domain/text/passages.ts';
import { passageVectorTable, vectorTable } from '../../src/read-models/vectors/tables.ts';
import { Generation } from '../../src/projections/generation.ts';
import { createBeside, ensureLive } from '../../src/projections/generations.ts';
import { memories } from '../../src/projections/memories/memories.ts';
import type { Projection } from '../../src/projections/projection.ts';
import { PassageBacklog, type PassageBacklogOptions } from '../../src/projections/vectors/passage-backlog.ts';
import { embeddedAtOnce } from '../../src/projections/vectors/passage-vectors.ts';
import { vectors } from '../../src/projections/vectors/vectors.ts';
import {
  openTestStore,
  storeTestMemory,
  testContext,
  updateTestMemory,
  type TestStore,
} from '../support/event-store.ts';
import { WakeUp } from '../../src/support/wake-up.ts';
import { eventually } from '../support/eventually.ts';
import { follow } from '../support/read-models.ts';
import { soleEmbedder } from '../support/sole-embedder.ts';

const words = deterministicEmbedder({ dimension: 16 });
/** The texts that were embedded. */
let embedded: string[] = [];
const embedder: Embedder = {
  ...words,
  embed: (texts, kind) => {
    embedded.push(...texts);
    return words.embed(texts, kind);
  },
};
const embedders = soleEmbedder(embedder);
const projections = [memories, vectors(embedders) as Projection];
const table = passageVectorTable(words.model.id);

let test: TestStore;
let backlog: PassageBacklog;
/** The errors of texts, with the memory. */
let failures: unknown[] = [];

beforeEach(async () => {
  test = await openTestStore();
  embedded = [];
  const leases = {
    hold: () => Promise.resolve(1),
    holders: () => Promise.resolve(new Map()),
    release: () => Promise.resolve(),
  };
  failures = [];
  const onError: PassageBacklogOptions['onError'] = (error, memory) => {
    if (!memory) throw error;
    failures.push([(error as Error).name, memory.memory_id]);
  };
  backlog = new PassageBacklog({ sql: test.sql, embedders, leases, progress: new WakeUp(), onError });
  for (const projection of projections) await ensureLive(test.sql, projection);
});

afterEach(() => test.close());

async function caughtUp(): Promise<void> {
  for (const projection of projections)
    await follow(test, new Generation(test.sql, projection, 1), () => 100);
}

const section = (n: number) =>
  `## Section ${n}\n\n${Array.from({ length: 13 }, (_, at) => `Paragraph ${n} notes that partition ${n + at} was moved to worker ${at} without a pause.`).join(' ')}`;
const documentOf = (sections: number) => Array.from({ length: sections }, (_, n) => section(n)).join('\n\n');
const long = documentOf(60);

/** How many passages are in the index, shelved, and waiting. */
async function places(): Promise<unknown> {
  const [row] = await test.sql.query(
    `select count(embedding)::integer as found, count(shelved)::integer as shelved,
       (count(*) filter (where embedding is null and shelved is null))::integer as waiting from ${table}`,
  );
  return row;
}

describe('passages beyond the first of a long text', () => {
  it('[A5] are embedded in the background, once', async () => {
    const count = passagesOf(long).length;
    expect(count).toBeGreaterThan(embeddedAtOnce);
    await storeTestMemory(test, { content: long });
    await caughtUp();
    expect(await places()).toEqual({ found: embeddedAtOnce, shelved: 0, waiting: count - embeddedAtOnce });
    expect(await backlog.once()).toBe(true);
    expect(await places()).toEqual({ found: count, shelved: 0, waiting: 0 });
    expect(await backlog.once()).toBe(false);
  });

  it('[A5] keep their vectors in an edited text', async () => {
    const { stream } = await storeTestMemory(test, { content: long });
    await caughtUp();
    await backlog.once();
    embedded = [];
    const edited = `${long}\n\n## Last\n\nThe archive moved to the cellar.`;
    await updateTestMemory(test, stream, edited);
    await caughtUp();
    const [before, after] = [passagesOf(long).length, passagesOf(edited).length];
    // Only the last passage is new, and it is not among the first.
    expect(await places()).toEqual({ found: after - 1, shelved: before, waiting: 1 });
    expect(embedded).toEqual([edited]);
    await backlog.once();
    expect(await places()).toEqual({ found: after, shelved: before, waiting: 0 });
  });

  it('[A5] of a deleted memory stay out of the index, and follow when it is restored', async () => {
    const { stream, value } = await storeTestMemory(test, { content: long });
    const count = passagesOf(long).length;
    const data = { memoryId: value.id };
    const retentionUntil = '2099-01-01T00:00:00.000Z';
    await test.store.append(
      stream,
      'exists',
      [{ type: 'MemoryDeleted', data: { ...data, retentionUntil } } as never],
      testContext(),
    );
    await caughtUp();
    await backlog.once();
    expect(await places()).toEqual({ found: 0, shelved: count, waiting: 0 });
    await test.store.append(stream, 'exists', [{ type: 'MemoryRestored', data } as never], testContext());
    await caughtUp();
    expect(await places()).toEqual({ found: count, shelved: 0, waiting: 0 });
  });

  it('[A5] that the model refuses are passed over, and hold up neither their text nor others', async () => {
    const refused = 'The model does not accept QZT-0000.';
    const longer = `${documentOf(65)}\n\n## Last\n\n${section(99)}`;
    const { value } = await storeTestMemory(test, { content: `${long}\n\n## Last\n\n${refused}` });
    await storeTestMemory(test, { content: longer });
    await caughtUp();
    const { embed } = embedder;
    embedder.embed = (texts, kind) =>
      texts.some((text) => text.includes(refused))
        ? Promise.reject(new TextRefused('no'))
        : embed(texts, kind);
    for (let runs = 0; await backlog.once(); runs++) expect(runs).toBeLessThan(3);
    embedder.embed = embed;
    expect(await places()).toMatchObject({ waiting: 1 });
    expect(failures).toEqual([['TextRefused', value.id]]);
    expect(backlog.failing).toBe(1);
  });

  it('[A5] are tried again after a pause if the model is unavailable', async () => {
    await storeTestMemory(test, { content: long });
    await caughtUp();
    const { embed } = embedder;
    embedder.embed = () => Promise.reject(new EmbedderUnavailable('down'));
    await expect(backlog.once()).rejects.toThrow('down');
    embedder.embed = embed;
    // No text is the reason, so none is passed over.
    expect([await backlog.once(), backlog.failing]).toEqual([false, 0]);
    await eventually(() => backlog.once()).toBe(true);
    expect(await places()).toMatchObject({ waiting: 0 });
  });

  it('[A5] are replaced by a rebuild if an earlier version divided the text differently', async () => {
    await storeTestMemory(test, { content: long });
    await caughtUp();
    await backlog.once();
    const rows = `select n, hash, embedding is null as waits from ${table} order by n`;
    const current = await test.sql.query(rows);
    await test.sql.query(`update ${table} set hash = 'of before ' || n where n > 1`);
    await test.sql.query(
      `insert into ${table} select tenant, memory_id, layer, org, team, project, session, user_id, agent, text_hash, n + 1000, 'of before', embedding
       from ${table} where n < 5`,
    );
    await follow(test, await createBeside(test.sql, projections[1]!), () => 100);
    await backlog.once();
    expect(await test.sql.query(rows)).toEqual(current);
  });

  it('[F6] of a memory that is erased meanwhile leave nothing', async () => {
    const { stream, value, key } = await storeTestMemory(test, { content: long });
    await caughtUp();
    const erase = async () => {
      const erased = { type: 'MemoryErased' as const, data: { memoryId: value.id, keyId: key.id } };
      await test.store.append(stream, 'exists', [erased], testContext());
      await test.vault.destroy(key.tenant, key.id);
      await caughtUp();
    };
    const { embed } = embedder;
    let isErased = false;
    embedder.embed = async (texts, kind) => {
      if (!isErased) {
        isErased = true;
        await erase();
      }
      return embed(texts, kind);
    };
    await backlog.once();
    embedder.embed = embed;
    expect(isErased).toBe(true);
    expect(await places()).toEqual({ found: 0, shelved: 0, waiting: 0 });
    expect(await test.sql.query(`select memory_id from ${vectorTable(words.model.id)}`)).toEqual([]);
  });
});

describe('passages of representations', () => {
  const tea = 'Green tea steeps at 80 degrees.';
  type Stored = Awaited<ReturnType<typeof storeTestMemory>>;
  const set = ({ stream, value, key }: Stored, representations: object) =>
    test.store.append(
      stream,
      'exists',
      [{ type: 'MemoryUpdated', data: { memoryId: value.id, representations } } as never],
      testContext({ key }),
    );
  const numbers = async () =>
    (
      await test.sql.query<{ n: number }>(`select n from ${table} where embedding is not null order by n`)
    ).map(({ n }) => n);

  it('[H8] follow their memory, and a new content leaves them as they are', async () => {
    const stored = await storeTestMemory(test, {
      content: tea,
      representations: { code: 'steep(80)', graph: 'kettle -> pot' },
    });
    const { stream, value } = stored;
    await caughtUp();
    expect(await numbers()).toEqual([-2, -1]);
    embedded = [];
    await updateTestMemory(test, stream, `${tea} Or at 75.`);
    await caughtUp();
    expect([await numbers(), embedded]).toEqual([[-2, -1], [`${tea} Or at 75.`]]);
    embedded = [];
    await set(stored, { code: 'steep(80)', formal: 't = 80' });
    await caughtUp();
    expect([await numbers(), embedded]).toEqual([[-2, -1], ['t = 80']]);
    const retentionUntil = '2099-01-01T00:00:00.000Z';
    await test.store.append(
      stream,
      'exists',
      [{ type: 'MemoryDeleted', data: { memoryId: value.id, retentionUntil } } as never],
      testContext(),
    );
    await caughtUp();
    expect(await places()).toEqual({ found: 0, shelved: 2, waiting: 0 });
    await test.store.append(
      stream,
      'exists',
      [{ type: 'MemoryRestored', data: { memoryId: value.id } } as never],
      testContext(),
    );
    await caughtUp();
    expect(await numbers()).toEqual([-2, -1]);
    await set(stored, {});
    await caughtUp();
    expect(await places()).toEqual({ found: 0, shelved: 0, waiting: 0 });
  });

  it('[H8] beyond the first of long representations are embedded in the background', async () => {
    const count = passagesOf(long).length;
    await storeTestMemory(test, { content: tea, representations: { code: long } });
    await caughtUp();
    expect(await places()).toEqual({ found: embeddedAtOnce, shelved: 0, waiting: count - embeddedAtOnce });
    expect(await backlog.once()).toBe(true);
    expect(await places()).toEqual({ found: count, shelved: 0, waiting: 0 });
    expect(await backlog.once()).toBe(false);
  });

  it('[H8] of an earlier version are made by a rebuild, and the last ones that were set remain', async () => {
    const stored = await storeTestMemory(test, {
      content: tea,
      representations: { code: 'steep(70)', graph: 'a -> b' },
    });
    await caughtUp();
    await set(stored, { code: 'steep(80)' });
    await updateTestMemory(test, stored.stream, `${tea} Or at 75.`);
    await caughtUp();
    await test.sql.query(`delete from ${table}`);
    embedded = [];
    const beside = await createBeside(test.sql, projections[1]!);
    // One event at a time: those that come later are in the vectors of the model already.
    for (let to = 1; to <= 3; to++) await follow(test, beside, () => to);
    await follow(test, beside, () => 100);
    expect(await numbers()).toEqual([-1]);
    expect(embedded.filter((text) => text.startsWith('steep')).at(-1)).toBe('steep(80)');
    await follow(test, await createBeside(test.sql, projections[1]!), () => 1);
    expect(await numbers()).toEqual([-1]);
  });
});
