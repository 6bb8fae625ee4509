import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { EmbeddingPool } from '../../src/adapters/embedding/pool.ts';
import { ModelMissing } from '../../src/adapters/onnx/model-files.ts';
import { WorkerSlot } from '../../src/adapters/onnx/worker-slot.ts';
import { EmbedderUnavailable } from '../../src/ports/embedder.ts';

/** Implements the workers' protocol. The text controls what happens to the thread. */
const thread = `
  const { parentPort, threadId } = require('node:worker_threads');
  parentPort.on('message', ({ kind, text }) => {
    if (kind === 'close') return parentPort.close();
    if (text === 'exit') process.exit(3);
    if (text === 'throw') throw new Error('out of luck');
    if (text === 'fail') return parentPort.postMessage({ kind: 'failed', message: 'no such operator' });
    parentPort.postMessage({ kind: 'vector', vector: Float32Array.of(threadId), tokens: 1 });
  });
  parentPort.postMessage({ kind: 'ready' });
`;

const notLoaded = (missing: boolean) => `
  const { parentPort } = require('node:worker_threads');
  parentPort.postMessage({ kind: 'not-loaded', missing: ${missing}, message: 'the weights are gone' });
`;

const started = (code: string) => Promise.resolve(new Worker(code, { eval: true }));

describe('WorkerSlot', () => {
  const pools: EmbeddingPool[] = [];
  const poolOf = (role: 'all' | 'query', ...starts: (() => Promise<Worker>)[]) => {
    let last: () => Promise<Worker> = () => started(thread);
    const slot = new WorkerSlot(role, () => (last = starts.shift() ?? last)());
    const pool = new EmbeddingPool([slot], { batch: 1, attempts: 2 });
    pools.push(pool);
    return pool;
  };
  afterEach(async () => {
    await Promise.all(pools.splice(0).map((pool) => pool.close()));
  });

  it('starts no thread for a query if another thread already has the model', async () => {
    const [queries, passages] = (['query', 'all'] as const).map(
      (role) => new WorkerSlot(role, () => started(thread)),
    );
    if (!queries || !passages) throw new Error('no slots');
    const pool = new EmbeddingPool([queries, passages], { batch: 1, attempts: 2 });
    pools.push(pool);
    const embedded = await Promise.all(['a', 'b', 'c', 'd'].map((text) => pool.submit(text, 'query')));
    expect(new Set(embedded.map(([thread]) => thread)).size).toBe(1);
    const [passage] = await pool.submit('e', 'passage');
    expect(passage).not.toBe(embedded[0]?.[0]);
    const later = await Promise.all(['f', 'g', 'h', 'i'].map((text) => pool.submit(text, 'query')));
    expect(new Set(later.map(([thread]) => thread)).size).toBe(2);
  });

  it.each(['exit', 'throw'])(
    'restarts a thread that dies of a text (%s), and gives up only that text',
    async (fatal) => {
      const pool = poolOf('all', () => started(thread));
      const [before] = await pool.submit('before', 'passage');
      const [bad, next] = await Promise.allSettled([
        pool.submit(fatal, 'passage'),
        pool.submit('next', 'passage'),
      ]);
      expect(bad).toMatchObject({ status: 'rejected', reason: expect.any(EmbedderUnavailable) as unknown });
      expect(next.status).toBe('fulfilled');
      expect(next.status === 'fulfilled' && next.value[0] !== before).toBe(true);
    },
  );

  it('keeps a thread that returns an error', async () => {
    const pool = poolOf('query', () => started(thread));
    const [before] = await pool.submit('before', 'query');
    await expect(pool.submit('fail', 'query')).rejects.toThrow('no such operator');
    expect(await pool.submit('after', 'query')).toEqual(Float32Array.of(before ?? -1));
  });

  it('is unavailable while the thread does not start, and starts it again', async () => {
    const pool = poolOf(
      'query',
      () => started(notLoaded(false)),
      () => Promise.reject(new Error('no threads left')),
      () => started(thread),
    );
    await expect(pool.submit('first', 'query')).rejects.toBeInstanceOf(EmbedderUnavailable);
    await expect
      .poll(() => pool.submit('later', 'query').then(() => 'served', String), { timeout: 5_000 })
      .toBe('served');
  });

  it('distinguishes a missing model from other failures', async () => {
    const missing = new WorkerSlot('all', () => started(notLoaded(true)));
    await expect(missing.ready()).rejects.toBeInstanceOf(ModelMissing);
    const other = new WorkerSlot('all', () => started(notLoaded(false)));
    await expect(other.ready()).rejects.toThrow('the weights are gone');
    await expect(other.ready()).rejects.not.toBeInstanceOf(ModelMissing);
    await Promise.all([missing.close(), other.close()]);
  });
});
