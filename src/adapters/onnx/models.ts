import path from 'node:path';
import type { EmbeddingModel } from '../../ports/embedder.ts';
import { packageRoot } from '../../support/package-root.ts';

/** A BERT-like sentence encoder: two files in a folder, `model.onnx` and `tokenizer.json`. */
export interface OnnxModel extends EmbeddingModel {
  readonly name: string;
  /** Prefix of a text by the purpose of its vector. */
  readonly prefix: { readonly query: string; readonly passage: string };
  /** How token states become the vector: the state of the first token, or the mean of all. */
  readonly pooling: 'first' | 'mean';
  /** Maximum number of tokens of one text, including special tokens. */
  readonly longest: number;
  /**
   * Passages of a long text whose mean vector is that of the text; without it, the model reads as much of the text as it can. The
   * passages are embedded anyway, so the vector of the text takes no time.
   */
  readonly meanOfPassages?: number;
  /** Whether its files are in `models/`, and so in the npm package. */
  readonly shipped?: boolean;
  /** Checksums of the files; without them any files are accepted. */
  readonly sha256?: { readonly 'model.onnx': string; readonly 'tokenizer.json': string };
}

/** The same for all models with BERT's uncased vocabulary. */
const uncasedTokenizer = 'd241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66';

/** BAAI/bge-small-en-v1.5 (MIT), for English. `models/README.md` names the origin of the shipped models. */
export const bgeSmall: OnnxModel = {
  name: 'bge-small-en-v1.5',
  id: 'bge-small-en-v1.5-int8-6c9c6101',
  dimension: 384,
  prefix: { query: 'Represent this sentence for searching relevant passages: ', passage: '' },
  pooling: 'first',
  longest: 512,
  shipped: true,
  sha256: {
    'model.onnx': '6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4',
    'tokenizer.json': uncasedTokenizer,
  },
};

/** intfloat/e5-small-v2 (MIT), with the prefixes and the pooling of its model card. Its files are not shipped. */
export const e5Small: OnnxModel = {
  name: 'e5-small-v2',
  id: 'e5-small-v2-int8-7d9092cb',
  dimension: 384,
  prefix: { query: 'query: ', passage: 'passage: ' },
  pooling: 'mean',
  longest: 512,
  sha256: {
    'model.onnx': '7d9092cb25f2bd1c023b7e8d2aa459044a02030ac880e5a59fdaf27af69f1ded',
    'tokenizer.json': uncasedTokenizer,
  },
};

/**
 * intfloat/multilingual-e5-small (MIT) with int8 weights, with the prefixes and the pooling of its model card: about 100
 * languages. The model of a new database.
 */
export const multilingualE5Small: OnnxModel = {
  name: 'multilingual-e5-small',
  id: 'multilingual-e5-small-int8-f9c28841',
  dimension: 384,
  prefix: { query: 'query: ', passage: 'passage: ' },
  pooling: 'mean',
  longest: 512,
  // About as much as the model could read at once.
  meanOfPassages: 3,
  shipped: true,
  sha256: {
    'model.onnx': 'f9c28841799596b63a6bd59840a796604ac0acb6c3efcdbb8d7d62f3056007dd',
    'tokenizer.json': '55040bdf1efca57868b06fdf019be8ad70cb0e06d8562eb038dba21d788e21ba',
  },
};

/** The folder of a model: in `models/` of this program if it is shipped, otherwise in `directory` (`models` by default). */
export function folderOf({ name, shipped = false }: OnnxModel, directory = 'models'): string {
  return shipped ? path.join(packageRoot, 'models', name) : path.resolve(directory, name);
}
