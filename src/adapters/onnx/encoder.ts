import { readFile } from 'node:fs/promises';
import { Tokenizer } from '@huggingface/tokenizers';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { EmbeddingPurpose } from '../../ports/embedder.ts';
import { truncate } from '../../domain/text/truncate.ts';
import { unitVector } from '../embedding/vector.ts';
import { verifiedFile } from './model-files.ts';
import type { OnnxModel } from './models.ts';
import { UnigramTokenizer } from './unigram-tokenizer.ts';

/** Far more than 511 tokens in any script. Spares the tokenizer the rest of a long text. */
const longestText = 16_384;

export interface Embedded {
  /** Unit length. */
  readonly vector: Float32Array;
  /** Tokens that the model read, including prefix and special tokens, without those cut off. */
  readonly tokens: number;
}

/** What both tokenizers do. */
interface ModelTokenizer {
  encode(text: string): { readonly ids: number[] };
}

/** A loaded model, which embeds texts on the calling thread. */
export class Encoder {
  readonly #model: OnnxModel;
  readonly #tokenizer: ModelTokenizer;
  /** Token that ends every text ([SEP]). */
  readonly #endId: number;
  readonly #session: InferenceSession;

  private constructor(model: OnnxModel, tokenizer: ModelTokenizer, session: InferenceSession) {
    this.#model = model;
    this.#tokenizer = tokenizer;
    this.#endId = tokenizer.encode('').ids.at(-1) ?? 0;
    this.#session = session;
  }

  /**
   * Reads, verifies and loads the model. Rejects with `ModelMissing` if its files are missing or damaged, and with an error if its
   * vectors do not match its registration.
   */
  static async load(model: OnnxModel, folder: string): Promise<Encoder> {
    // One after the other, so that the error names the same file each time if both are missing.
    const weights = await verifiedFile(model, folder, 'model.onnx');
    const vocabulary = await verifiedFile(model, folder, 'tokenizer.json');
    const session = await InferenceSession.create(weights, {
      executionProviders: ['cpu'],
      executionMode: 'sequential',
      // An arena never frees the memory of the longest text (50 MB a thread), and is not faster.
      enableCpuMemArena: false,
      // Threads within a run would compete with the other workers for the cores.
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
    });
    const encoder = new Encoder(model, tokenizerOf(await readFile(vocabulary, 'utf8')), session);
    // Detects a model that does not match its registration before any caller waits for it.
    await encoder.embed('', 'query');
    return encoder;
  }

  /**
   * Embeds one text in a run of its own: the texts of a batch share quantisation scales, so a text's vector would depend on its
   * neighbours. Text beyond the model's longest input is cut off.
   */
  async embed(text: string, purpose: EmbeddingPurpose): Promise<Embedded> {
    const ids = this.#ids(truncate(this.#model.prefix[purpose] + text, longestText));
    const shape = [1, ids.length];
    const inputs: Record<string, Tensor> = {
      input_ids: new Tensor('int64', ids, shape),
      attention_mask: new Tensor('int64', new BigInt64Array(ids.length).fill(1n), shape),
    };
    // Some encoders have no input for the token types.
    if (this.#session.inputNames.includes('token_type_ids'))
      inputs['token_type_ids'] = new Tensor('int64', new BigInt64Array(ids.length), shape);
    const { last_hidden_state: states } = await this.#session.run(inputs);
    if (!(states?.data instanceof Float32Array))
      throw new Error('the model returned no float32 token states');
    return { vector: unitVector(this.#pool(states.data, ids.length)), tokens: ids.length };
  }

  /** Pools the states of `count` tokens into one vector. */
  #pool(states: Float32Array, count: number): ArrayLike<number> {
    const { dimension, pooling, name } = this.#model;
    if (states.length !== count * dimension)
      throw new Error(`${name} returns ${states.length / count} numbers per token instead of ${dimension}`);
    if (pooling === 'first') return states.subarray(0, dimension);
    // The sum has the same direction as the mean.
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

function tokenizerOf(json: string): ModelTokenizer {
  const file = JSON.parse(json) as Parameters<typeof UnigramTokenizer.of>[0];
  return UnigramTokenizer.of(file) ?? new Tokenizer(file, {});
}
