import { describe, expect, it } from 'vitest';
import {
  EmbeddingPool,
  type PoolOptions,
  type Slot,
  type SlotResult,
} from '../../src/adapters/embedding/pool.ts';
import { pooledEmbedder } from '../../src/adapters/embedding/pooled-embedder.ts';
import { EmbedderUnavailable, type EmbeddingPurpose } from '../../src/ports/embedder.ts';

interface Run {
  readonly texts: readonly string[];
  readonly purpose: EmbeddingPurpose;
  answer(): void;
  fail(error: Error): void;
}

/** A slot that the test controls step by step. */
class ManualSlot implements Slot {
  readonly serves: Slot['serves'];
  readonly runs: Run[] = [];
  #starts: (() => Promise<void>)[] = [];

  constructor(serves: Slot['serves'] = 'all') {
    this.serves = serves;
  }

  /** Sets the behaviour of the next calls of `ready`. */
  nextStarts(...starts: (() => Promise<void>)[]): void {
    this.#starts = starts;
  }

  ready(): Promise<void> {
    return this.#starts.shift()?.() ?? Promise.resolve();
  }

  run(texts: readonly string[], purpose: EmbeddingPurpose): Promise<SlotResult> {
    return new Promise((resolve, reject) => {
      this.runs.push({
        texts,
        purpose,
        answer: () =>
          resolve({
            vectors: texts.map((text) => Float32Array.of(text.length)),
            tokens: texts.join('').length,
          }),
        fail: reject,
      });
    });
  }

  close(): Promise<void> {
    this.runs.at(-1)?.answer();
    return Promise.resolve();
  }

  get texts(): string[] {
    return this.runs.flatMap(({ texts }) => texts);
  }
}

const settleAll = () => new Promise((resolve) => setImmediate(resolve));
const options = { batch: 1, attempts: 2 };

describe('EmbeddingPool', () => {
  it('runs a query next, however many passages wait', async () => {
    const slot = new ManualSlot();
    const pool = new EmbeddingPool([slot], options);
    const passages = ['p1', 'p2', 'p3'].map((text) => pool.submit(text, 'passage'));
    await settleAll();
    const query = pool.submit('query', 'query');
    for (let i = 0; i < 4; i++) {
      slot.runs[i]?.answer();
      await settleAll();
    }
    expect(slot.texts).toEqual(['p1', 'query', 'p2', 'p3']);
    expect(await query).toEqual(Float32Array.of(5));
    await Promise.all(passages);
    await pool.close();
  });

  it('keeps a slot that serves queries free of passages', async () => {
    const [reserved, general] = [new ManualSlot('query'), new ManualSlot()];
    const pool = new EmbeddingPool([reserved, general], options);
    const waiting = ['p1', 'p2'].map((text) => pool.submit(text, 'passage'));
    await settleAll();
    const query = pool.submit('query', 'query');
    await settleAll();
    expect(general.texts).toEqual(['p1']);
    expect(reserved.texts).toEqual(['query']);
    reserved.runs[0]?.answer();
    await query;
    const outcome = Promise.allSettled(waiting);
    await pool.close();
    expect((await outcome).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });

  it('retries a text once, ahead of its lane, and then fails it', async () => {
    const slot = new ManualSlot();
    const pool = new EmbeddingPool([slot], options);
    const bad = pool.submit('bad', 'passage');
    const good = pool.submit('good', 'passage');
    const rejected = expect(bad).rejects.toThrow(new EmbedderUnavailable('the thread died'));
    for (let i = 0; i < 2; i++) {
      await settleAll();
      slot.runs[i]?.fail(new Error('the thread died'));
    }
    await rejected;
    await settleAll();
    slot.runs[2]?.answer();
    expect(await good).toEqual(Float32Array.of(4));
    expect(slot.texts).toEqual(['bad', 'bad', 'good']);
    await pool.close();
  });

  it('gives a slot no text until it can run again', async () => {
    const [broken, sound] = [new ManualSlot(), new ManualSlot()];
    const pool = new EmbeddingPool([broken, sound], { batch: 1, attempts: 2 });
    const first = pool.submit('first', 'passage');
    await settleAll();
    let revive: () => void = () => undefined;
    broken.nextStarts(() => new Promise((resolve) => (revive = resolve)));
    broken.runs[0]?.fail(new Error('the thread died'));
    await settleAll();
    expect(sound.texts).toEqual(['first']);
    sound.runs[0]?.answer();
    await first;
    const later = ['second', 'third'].map((text) => pool.submit(text, 'passage'));
    await settleAll();
    expect([broken.texts, sound.texts]).toEqual([['first'], ['first', 'second']]);
    revive();
    await settleAll();
    expect(broken.texts).toEqual(['first', 'third']);
    broken.runs[1]?.answer();
    sound.runs[1]?.answer();
    await Promise.all(later);
    await pool.close();
  });

  it('rejects waiting and new texts while no slot starts, and serves again once one does', async () => {
    const slot = new ManualSlot();
    const pool = new EmbeddingPool([slot], { batch: 1, attempts: 5 });
    let start: () => void = () => undefined;
    const refuse = () => Promise.reject(new Error('no memory'));
    slot.nextStarts(refuse, refuse, () => new Promise((resolve) => (start = resolve)));
    await expect(pool.submit('waiting', 'passage')).rejects.toThrow(new EmbedderUnavailable('no memory'));
    await expect(pool.submit('coming', 'query')).rejects.toThrow(new EmbedderUnavailable('no memory'));
    start();
    await settleAll();
    const vector = pool.submit('served', 'query');
    await settleAll();
    slot.runs[0]?.answer();
    expect(await vector).toEqual(Float32Array.of(6));
    await pool.close();
  });

  it('does not let a query wait for slots that serve only passages', async () => {
    const [queries, passages] = [new ManualSlot('query'), new ManualSlot('passage')];
    const pool = new EmbeddingPool([queries, passages], { batch: 1, attempts: 5 });
    queries.nextStarts(
      () => Promise.reject(new Error('no memory')),
      () => Promise.reject(new Error('no memory')),
      () => new Promise(() => undefined),
    );
    await expect(pool.submit('query', 'query')).rejects.toThrow(new EmbedderUnavailable('no memory'));
    const passage = pool.submit('passage', 'passage');
    await settleAll();
    passages.runs[0]?.answer();
    expect(await passage).toEqual(Float32Array.of(7));
  });

  it('hands out as many texts at once as a slot accepts', async () => {
    const slot = new ManualSlot();
    const pool = new EmbeddingPool([slot], { batch: 3, attempts: 1 });
    await settleAll();
    const vectors = ['a', 'bb', 'ccc', 'dddd', 'eeeee'].map((text) => pool.submit(text, 'passage'));
    await settleAll();
    slot.runs[0]?.answer();
    await settleAll();
    slot.runs[1]?.answer();
    await settleAll();
    slot.runs[2]?.answer();
    expect((await Promise.all(vectors)).map(([first]) => first)).toEqual([1, 2, 3, 4, 5]);
    expect(slot.runs.map(({ texts }) => texts.length)).toEqual([1, 3, 1]);
    await pool.close();
  });

  it('[H4] reports the purpose, the tokens and the duration of each run', async () => {
    const slot = new ManualSlot();
    const runs: Parameters<NonNullable<PoolOptions['onRun']>>[0][] = [];
    const pool = new EmbeddingPool([slot], { batch: 2, attempts: 1, onRun: (run) => runs.push(run) });
    const outcome = Promise.allSettled(['long', 'er', 'x'].map((text) => pool.submit(text, 'passage')));
    await settleAll();
    slot.runs[0]?.answer();
    await settleAll();
    slot.runs[1]?.fail(new Error('no'));
    await outcome;
    const durationMs = expect.any(Number) as number;
    expect(runs).toEqual([
      { purpose: 'passage', outcome: 'embedded', texts: 1, refused: 0, tokens: 4, durationMs },
      { purpose: 'passage', outcome: 'failed', texts: 2, refused: 0, tokens: 0, durationMs },
    ]);
  });

  it('finishes running texts and rejects waiting ones when it is closed', async () => {
    const slot = new ManualSlot();
    const pool = new EmbeddingPool([slot], options);
    const outcome = Promise.allSettled(['running', 'waiting'].map((text) => pool.submit(text, 'passage')));
    await settleAll();
    await pool.close();
    expect((await outcome).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });
});

describe('pooled embedder', () => {
  const model = { id: 'lengths', dimension: 1 };

  it('queues no more texts of a call than its window, so a long call does not delay a short one', async () => {
    const slot = new ManualSlot();
    const embedder = pooledEmbedder(model, new EmbeddingPool([slot], options), {
      window: 2,
      cachedQueries: 1,
    });
    const long = embedder.embed(['l1', 'l2', 'l3', 'l4', 'l5'], 'passage');
    const short = embedder.embed(['short'], 'passage');
    for (let i = 0; i < 6; i++) {
      await settleAll();
      slot.runs[i]?.answer();
    }
    expect(slot.texts.indexOf('short')).toBeLessThanOrEqual(2);
    await Promise.all([long, short]);
    await embedder.close();
  });

  it('embeds no more texts of a failed call', async () => {
    const slot = new ManualSlot();
    const pool = new EmbeddingPool([slot], { batch: 1, attempts: 1 });
    const embedder = pooledEmbedder(model, pool, { window: 1, cachedQueries: 1 });
    const rejected = expect(embedder.embed(['a', 'b', 'c'], 'passage')).rejects.toThrow('no');
    await settleAll();
    slot.runs[0]?.fail(new Error('no'));
    await rejected;
    await settleAll();
    expect(slot.texts).toEqual(['a']);
    await embedder.close();
  });

  it('embeds a text once for concurrent requests, but not a query as a passage', async () => {
    const slot = new ManualSlot();
    const embedder = pooledEmbedder(model, new EmbeddingPool([slot], options), {
      window: 9,
      cachedQueries: 1,
    });
    const calls = [
      embedder.embed(['same', 'same'], 'passage'),
      embedder.embed(['same'], 'passage'),
      embedder.embed(['same'], 'query'),
    ];
    for (let i = 0; i < 2; i++) {
      await settleAll();
      slot.runs[i]?.answer();
    }
    await Promise.all(calls);
    expect(slot.runs.map(({ purpose }) => purpose)).toEqual(['passage', 'query']);
    await embedder.close();
  });

  it('caches the vectors of the last queries, not of passages', async () => {
    const slot = new ManualSlot();
    const embedder = pooledEmbedder(model, new EmbeddingPool([slot], options), {
      window: 9,
      cachedQueries: 2,
    });
    const ask = async (text: string, purpose: EmbeddingPurpose) => {
      const call = embedder.embed([text], purpose);
      await settleAll();
      slot.runs.at(-1)?.answer();
      return call;
    };
    for (const text of ['a', 'b', 'a', 'c', 'b']) await ask(text, 'query');
    expect(slot.texts).toEqual(['a', 'b', 'c', 'b']);
    await ask('a', 'passage');
    await ask('a', 'passage');
    expect(slot.texts).toHaveLength(6);
    await embedder.close();
  });

  it('embeds a failed query again', async () => {
    const slot = new ManualSlot();
    const pool = new EmbeddingPool([slot], { batch: 1, attempts: 1 });
    const embedder = pooledEmbedder(model, pool, { window: 9, cachedQueries: 10 });
    const rejected = expect(embedder.embed(['q'], 'query')).rejects.toBeInstanceOf(EmbedderUnavailable);
    await settleAll();
    slot.runs[0]?.fail(new Error('down'));
    await rejected;
    const again = embedder.embed(['q'], 'query');
    await settleAll();
    slot.runs[1]?.answer();
    expect(await again).toEqual([Float32Array.of(1)]);
    await embedder.close();
  });
});
