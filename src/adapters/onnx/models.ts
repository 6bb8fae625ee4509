import path from 'node:path';
import type { EmbeddingModel } from '../../ports/embedder.ts';
import { packageRoot } from '../worker-entry.ts';

/** A BERT-like sentence encoder whose vector is the normalised state of its first token. */
export interface OnnxModel extends EmbeddingModel {
  readonly name: OnnxModelName;
  /** What precedes a text, by what the vector is for. */
  readonly prefix: { readonly query: string; readonly passage: string };
  /** Most token ids of one text, the two special ones included. */
  readonly longest: number;
  /** The id that ends every text ([SEP]). */
  readonly endId: number;
  readonly sha256: { readonly 'model.onnx': string; readonly 'tokenizer.json': string };
}

export type OnnxModelName = 'bge-small-en-v1.5';

/** The models that ship in `models/`; `models/README.md` says where they come from. */
export const onnxModels: Readonly<Record<OnnxModelName, OnnxModel>> = {
  'bge-small-en-v1.5': {
    name: 'bge-small-en-v1.5',
    id: 'bge-small-en-v1.5-int8-6c9c6101',
    dimension: 384,
    prefix: { query: 'Represent this sentence for searching relevant passages: ', passage: '' },
    longest: 512,
    endId: 102,
    sha256: {
      'model.onnx': '6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4',
      'tokenizer.json': 'd241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66',
    },
  },
};

/** Where a model lies when nobody says otherwise. */
export function modelFolder(name: OnnxModelName): string {
  return path.join(packageRoot, 'models', name);
}
