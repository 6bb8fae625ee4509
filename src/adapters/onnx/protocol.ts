import type { EmbeddingPurpose } from '../../ports/embedder.ts';
import type { OnnxModel } from './models.ts';

/** Start parameters of a worker. */
export interface WorkerSetup {
  readonly model: OnnxModel;
  readonly folder: string;
  /** Added to the thread's nice value: 0 leaves it unchanged, higher values lower the thread's priority. */
  readonly nice: number;
  /** Memory of the worker's `BusyFlag`. */
  readonly busy: SharedArrayBuffer;
}

/** Requests need no ids, because each is answered before the next is sent. */
export type WorkerRequest =
  | { readonly kind: 'embed'; readonly text: string; readonly purpose: EmbeddingPurpose }
  | { readonly kind: 'close' };

export type WorkerAnswer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'not-loaded'; readonly missing: boolean; readonly message: string }
  | { readonly kind: 'vector'; readonly vector: Float32Array<ArrayBuffer>; readonly tokens: number }
  | { readonly kind: 'failed'; readonly message: string };
