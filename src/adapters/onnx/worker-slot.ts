import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { EmbedderUnavailable, type EmbeddingPurpose } from '../../ports/embedder.ts';
import { Backoff } from '../../support/resilience/backoff.ts';
import type { Slot, SlotResult } from '../embedding/pool.ts';
import { ModelMissing } from './model-files.ts';
import type { WorkerAnswer, WorkerRequest } from './protocol.ts';

const restart = { firstMs: 100, longestMs: 5_000 };
const closeWithinMs = 5_000;

interface Waiting {
  resolve(answer: WorkerAnswer): void;
  reject(error: Error): void;
}

/** A worker thread with a loaded model, started when first needed and again after it died. */
export class WorkerSlot implements Slot {
  readonly #role: 'all' | 'query';
  readonly #startThread: () => Promise<Worker>;
  readonly #closing = new AbortController();
  #worker: Worker | undefined;
  #loaded = false;
  #starting: Promise<void> | undefined;
  #running: Promise<unknown> | undefined;
  #waiting: Waiting | undefined;
  /** Whether the thread was started since the last vector: then the next start is delayed. */
  #wasStarted = false;
  readonly #backoff = new Backoff(restart);

  /** `startThread` starts a thread that implements the protocol of `protocol.ts`. */
  constructor(role: 'all' | 'query', startThread: () => Promise<Worker>) {
    this.#role = role;
    this.#startThread = startThread;
  }

  /** Until the model is loaded the slot serves no queries: loading takes longer than waiting for a thread that has it. */
  get serves(): Slot['serves'] {
    return this.#role === 'query' || this.#loaded ? this.#role : 'passage';
  }

  /** Rejects with `ModelMissing`, or with the error that kept the thread from starting. */
  ready(): Promise<void> {
    if (this.#loaded) return Promise.resolve();
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async run(texts: readonly string[], purpose: EmbeddingPurpose): Promise<SlotResult> {
    const vectors: Float32Array[] = [];
    let tokens = 0;
    for (const text of texts) {
      const embedded = await this.#embed(text, purpose);
      vectors.push(embedded.vector);
      tokens += embedded.tokens;
    }
    return { vectors, tokens };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled([this.#starting, this.#running]);
    const worker = this.#worker;
    if (worker === undefined) return;
    // The thread ends by itself: terminating it inside native code can abort the process.
    const ended = once(worker, 'exit', { signal: AbortSignal.timeout(closeWithinMs) });
    post(worker, { kind: 'close' });
    await ended.catch(() => worker.terminate());
  }

  async #embed(text: string, purpose: EmbeddingPurpose): Promise<Extract<WorkerAnswer, { kind: 'vector' }>> {
    const worker = this.#worker;
    if (worker === undefined || !this.#loaded) {
      throw new EmbedderUnavailable('the embedding worker is not running');
    }
    const running = this.#next();
    this.#running = running;
    post(worker, { kind: 'embed', text, purpose });
    const answer = await running;
    if (answer.kind !== 'vector') throw new Error(messageOf(answer));
    this.#wasStarted = false;
    this.#backoff.reset();
    return answer;
  }

  async #start(): Promise<void> {
    const { signal } = this.#closing;
    if (this.#wasStarted) await this.#backoff.pause(signal);
    signal.throwIfAborted();
    this.#wasStarted = true;
    const worker = await this.#startThread();
    this.#worker = worker;
    worker.on('message', (answer: WorkerAnswer) => this.#waiting?.resolve(answer));
    worker.on('error', (error) => this.#died(worker, error));
    worker.on('exit', (code) =>
      this.#died(worker, new Error(`the embedding worker ended with code ${code}`)),
    );
    const answer = await this.#next();
    if (answer.kind === 'ready') {
      this.#loaded = true;
      return;
    }
    this.#worker = undefined;
    if (answer.kind === 'not-loaded' && answer.missing) throw new ModelMissing(messageOf(answer));
    throw new Error(`the embedding model did not load: ${messageOf(answer)}`);
  }

  /** The thread's next answer; rejects if the thread dies. */
  #next(): Promise<WorkerAnswer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  /** Called for an error and then for the exit of the same thread, when the next thread may be starting already. */
  #died(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#loaded = false;
    this.#waiting?.reject(error);
  }
}

function messageOf(answer: WorkerAnswer): string {
  return 'message' in answer ? answer.message : `an unexpected answer: ${answer.kind}`;
}

function post(worker: Worker, request: WorkerRequest): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window and has no origin
  worker.postMessage(request);
}
