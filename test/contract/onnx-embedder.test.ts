import { appendFile, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openOnnxEmbedder } from '../../src/adapters/onnx/embedder.ts';
import { ModelMissing } from '../../src/adapters/onnx/model-files.ts';
import { bgeSmall, shippedFolder } from '../../src/adapters/onnx/models.ts';
import type { Embedder } from '../../src/ports/embedder.ts';
import { cosine, embedderContract } from './embedder.ts';

const model = bgeSmall;

embedderContract('onnx', () => openOnnxEmbedder({ model, workers: 2 }), { queriesDiffer: true });

describe('onnx embedder', () => {
  let embedder: Embedder;
  beforeAll(async () => {
    embedder = await openOnnxEmbedder({ model, workers: 1 });
  });
  afterAll(() => embedder.close());

  it.each([
    [
      'Where does Alice live now?',
      'In March Alice moved from Berlin to Lisbon.',
      'The nightly build failed because the disk was full.',
    ],
    [
      'what broke the deployment',
      'Release 4.2 was rolled back after the migration timed out.',
      'Grandma’s apple cake needs four eggs and cinnamon.',
    ],
    [
      'allergies of the patient',
      'She must not be given penicillin: it caused a rash in 2019.',
      'The tenant pays the rent on the first of each month.',
    ],
  ])('finds what answers %j', async (question, answer, other) => {
    const [query] = await embedder.embed([question], 'query');
    const [relevant, irrelevant] = await embedder.embed([answer, other], 'passage');
    if (!query || !relevant || !irrelevant) throw new Error('no vectors');
    expect(cosine(query, relevant)).toBeGreaterThan(cosine(query, irrelevant) + 0.08);
    expect(cosine(query, relevant)).toBeGreaterThan(0.5);
  });

  it('reads a long text to the model’s limit and no further', async () => {
    const start = 'the harbour master counts ships '.repeat(200);
    const [long, longer, short] = await embedder.embed(
      [start, `${start} and then sings`, start.slice(0, 500)],
      'passage',
    );
    expect(longer).toEqual(long);
    expect(short).not.toEqual(long);
  });
});

describe('onnx model files', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'model-'));
    await cp(shippedFolder, folder, { recursive: true });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('says what to do about a damaged model', async () => {
    await appendFile(path.join(folder, 'tokenizer.json'), ' ');
    const opening = openOnnxEmbedder({ model, folder });
    await expect(opening).rejects.toBeInstanceOf(ModelMissing);
    await expect(opening).rejects.toThrow(/tokenizer\.json is damaged.*git checkout/);
  });

  it('says what to do about a missing model', async () => {
    await rm(path.join(folder, 'model.onnx'));
    const opening = openOnnxEmbedder({ model, folder });
    await expect(opening).rejects.toBeInstanceOf(ModelMissing);
    await expect(opening).rejects.toThrow(/model\.onnx.*cannot be read.*git checkout/);
  });
});
