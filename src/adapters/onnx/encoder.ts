import { readFile } from 'node:fs/promises';
import { Tokenizer } from '@huggingface/tokenizers';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { EmbeddingPurpose } from '../../ports/embedder.ts';
import { truncate } from '../../domain/text/truncate.ts';
import { unitVector } from '../embedding/vector.ts';
import { verifiedFile } from './model-files.ts';
import type { OnnxModel } from './models.ts';

/** Far more than the first 511 tokens of any writing; the tokenizer need not read a book for them. */
const longestText = 16_384;

export interface Embedded {
  /** Of unit length. */
  readonly vector: Float32Array;
  /** That the model read: its prefix and its marks included, without what was left out. */
  readonly tokens: number;
}

/** One loaded model: a text in, its unit vector out, on the calling thread. */
export class Encoder {
  readonly #model: OnnxModel;
  readonly #tokenizer: Tokenizer;
  /** What ends every text ([SEP]). */
  readonly #endId: number;
  readonly #session: InferenceSession;

  private constructor(model: OnnxModel, tokenizer: Tokenizer, session: InferenceSession) {
    this.#model = model;
    this.#tokenizer = tokenizer;
    this.#endId = tokenizer.encode('').ids.at(-1) ?? 0;
    this.#session = session;
  }

  /**
   * Reads, verifies and loads the model. Rejects with `ModelMissing` when its files are not there or damaged, and with
   * what is wrong where its vectors are not those that it is said to make.
   */
  static async load(model: OnnxModel, folder: string): Promise<Encoder> {
    // One after the other: of two files that are missing it is always the same one that is told.
    const weights = await verifiedFile(model, folder, 'model.onnx');
    const vocabulary = await verifiedFile(model, folder, 'tokenizer.json');
    const session = await InferenceSession.create(weights, {
      executionProviders: ['cpu'],
      executionMode: 'sequential',
      // An arena never gives back what the longest text took (50 MB a thread), and is no faster.
      enableCpuMemArena: false,
      // Threads within a run would share the cores that the other workers use.
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
    });
    const tokenizer = new Tokenizer(JSON.parse(await readFile(vocabulary, 'utf8')) as object, {});
    const encoder = new Encoder(model, tokenizer, session);
    // A model that is not what it was registered as is refused before anything waits for it.
    await encoder.embed('', 'query');
    return encoder;
  }

  /**
   * The text alone in one run: a batch shares its quantisation scales, so that a text's vector would depend on its
   * neighbours. What is beyond the model's longest input is left out.
   */
  async embed(text: string, purpose: EmbeddingPurpose): Promise<Embedded> {
    const ids = this.#ids(truncate(this.#model.prefix[purpose] + text, longestText));
    const shape = [1, ids.length];
    const inputs: Record<string, Tensor> = {
      input_ids: new Tensor('int64', ids, shape),
      attention_mask: new Tensor('int64', new BigInt64Array(ids.length).fill(1n), shape),
    };
    // Of the encoders some know no second sentence.
    if (this.#session.inputNames.includes('token_type_ids'))
      inputs['token_type_ids'] = new Tensor('int64', new BigInt64Array(ids.length), shape);
    const { last_hidden_state: states } = await this.#session.run(inputs);
    if (!(states?.data instanceof Float32Array))
      throw new Error('the model answered no float32 token states');
    return { vector: unitVector(this.#pool(states.data, ids.length)), tokens: ids.length };
  }

  /** The states of `count` tokens as one vector. */
  #pool(states: Float32Array, count: number): ArrayLike<number> {
    const { dimension, pooling, name } = this.#model;
    if (states.length !== count * dimension)
      throw new Error(`${name} answers ${states.length / count} numbers a token instead of ${dimension}`);
    if (pooling === 'first') return states.subarray(0, dimension);
    // The mean's direction is that of the sum.
    const sums = new Float64Array(dimension);
    for (let at = 0; at < states.length; at++) sums[at % dimension]! += states[at]!;
    return sums;
  }

  async close(): Promise<void> {
    await this.#session.release();
  }

  #ids(text: string): BigInt64Array {
    const { longest } = this.#model;
    const { ids } = this.#tokenizer.encode(text);
    const kept = ids.length > longest ? [...ids.slice(0, longest - 1), this.#endId] : ids;
    return BigInt64Array.from(kept, BigInt);
  }
}
