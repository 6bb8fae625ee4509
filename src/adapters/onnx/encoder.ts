import { readFile } from 'node:fs/promises';
import { Tokenizer } from '@huggingface/tokenizers';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { EmbeddingPurpose } from '../../ports/embedder.ts';
import { truncate } from '../embedding/truncate.ts';
import { unitVector } from '../embedding/vector.ts';
import { verifiedFile } from './model-files.ts';
import type { OnnxModel } from './models.ts';

/** Far more than the first 511 tokens of any writing; the tokenizer need not read a book for them. */
const longestText = 16_384;

/** One loaded model: a text in, its unit vector out, on the calling thread. */
export class Encoder {
  readonly #model: OnnxModel;
  readonly #tokenizer: Tokenizer;
  readonly #session: InferenceSession;

  private constructor(model: OnnxModel, tokenizer: Tokenizer, session: InferenceSession) {
    this.#model = model;
    this.#tokenizer = tokenizer;
    this.#session = session;
  }

  /** Reads, verifies and loads the model. Rejects with `ModelMissing` when its files are not there or damaged. */
  static async load(model: OnnxModel, folder: string): Promise<Encoder> {
    const [weights, vocabulary] = await Promise.all([
      verifiedFile(model, folder, 'model.onnx'),
      verifiedFile(model, folder, 'tokenizer.json'),
    ]);
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
    return new Encoder(model, tokenizer, session);
  }

  /**
   * The text alone in one run: a batch shares its quantisation scales, so that a text's vector would depend on its
   * neighbours. What is beyond the model's longest input is left out.
   */
  async embed(text: string, purpose: EmbeddingPurpose): Promise<Float32Array> {
    const ids = this.#ids(truncate(this.#model.prefix[purpose] + text, longestText));
    const shape = [1, ids.length];
    const { last_hidden_state: states } = await this.#session.run({
      input_ids: new Tensor('int64', ids, shape),
      attention_mask: new Tensor('int64', new BigInt64Array(ids.length).fill(1n), shape),
      token_type_ids: new Tensor('int64', new BigInt64Array(ids.length), shape),
    });
    if (!(states?.data instanceof Float32Array))
      throw new Error('the model answered no float32 token states');
    return unitVector(states.data.subarray(0, this.#model.dimension));
  }

  async close(): Promise<void> {
    await this.#session.release();
  }

  #ids(text: string): BigInt64Array {
    const { longest, endId } = this.#model;
    const { ids } = this.#tokenizer.encode(text);
    const kept = ids.length > longest ? [...ids.slice(0, longest - 1), endId] : ids;
    return BigInt64Array.from(kept, BigInt);
  }
}
