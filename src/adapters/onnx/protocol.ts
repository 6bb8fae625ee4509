import type { EmbeddingPurpose } from '../../ports/embedder.ts';
import type { OnnxModel } from './models.ts';

/** What a worker is started with. */
export interface WorkerSetup {
  readonly model: OnnxModel;
  readonly folder: string;
  /** Added to the thread's nice value: 0 leaves it alone, more gives way to the process's other threads. */
  readonly nice: number;
  /** The memory of the `BusyFlag` that the worker keeps. */
  readonly busy: SharedArrayBuffer;
}

/** One request is answered before the next is sent, so none needs a number. */
export type WorkerRequest =
  | { readonly kind: 'embed'; readonly text: string; readonly purpose: EmbeddingPurpose }
  | { readonly kind: 'close' };

export type WorkerAnswer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'not-loaded'; readonly missing: boolean; readonly message: string }
  | { readonly kind: 'vector'; readonly vector: Float32Array<ArrayBuffer>; readonly tokens: number }
  | { readonly kind: 'failed'; readonly message: string };
