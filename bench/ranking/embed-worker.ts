// One worker process: embeds the texts that its parent sends and answers their vectors, in order.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import { InferenceSession, Tensor } from 'onnxruntime-node';

const CLS = 101;
const SEP = 102;
const MAX_TOKENS = 512;

/** `[modelFolder]`. Answers each message (a list of texts) with a list of base64 float32 unit vectors. */
export async function main([folder = '']: string[]): Promise<void> {
  const tokenizer = new Tokenizer(
    JSON.parse(await readFile(path.join(folder, 'tokenizer.json'), 'utf8')),
    {},
  );
  const session = await InferenceSession.create(path.join(folder, 'model.onnx'), {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
  });

  async function embed(text: string): Promise<string> {
    let { ids } = tokenizer.encode(text);
    if (ids[0] !== CLS) throw new Error('the tokenizer does not put [CLS] first');
    if (ids.length > MAX_TOKENS) ids = [...ids.slice(0, MAX_TOKENS - 1), SEP];
    const shape = [1, ids.length];
    const filled = (value: bigint) => new Tensor('int64', new BigInt64Array(ids.length).fill(value), shape);
    const { last_hidden_state: states } = await session.run({
      input_ids: new Tensor('int64', BigInt64Array.from(ids, BigInt), shape),
      attention_mask: filled(1n),
      token_type_ids: filled(0n),
    });
    if (states === undefined) throw new Error('the model has no output last_hidden_state');
    const first = (states.data as Float32Array).slice(0, states.dims[2]);
    const norm = Math.hypot(...first);
    return Buffer.from(first.map((x) => x / norm).buffer).toString('base64');
  }

  process.on('message', (texts: string[]) => {
    void (async () => {
      const vectors: string[] = [];
      for (const text of texts) vectors.push(await embed(text));
      process.send?.(vectors);
    })();
  });
}
