import { appendFile, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openOnnxEmbedder } from '../../src/adapters/onnx/embedder.ts';
import { ModelMissing } from '../../src/adapters/onnx/model-files.ts';
import { bgeSmall, e5Small, folderOf } from '../../src/adapters/onnx/models.ts';
import type { Embedder, EmbeddingRun } from '../../src/ports/embedder.ts';
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
  ])('finds the answer to %j', async (question, answer, other) => {
    const [query] = await embedder.embed([question], 'query');
    const [relevant, irrelevant] = await embedder.embed([answer, other], 'passage');
    if (!query || !relevant || !irrelevant) throw new Error('no vectors');
    expect(cosine(query, relevant)).toBeGreaterThan(cosine(query, irrelevant) + 0.08);
    expect(cosine(query, relevant)).toBeGreaterThan(0.5);
  });

  it('reads a long text up to the model’s limit', async () => {
    const start = 'the harbour master counts ships '.repeat(200);
    const [long, longer, short] = await embedder.embed(
      [start, `${start} and then sings`, start.slice(0, 500)],
      'passage',
    );
    expect(longer).toEqual(long);
    expect(short).not.toEqual(long);
  });
});

it('[H4] reports the number of tokens read, and caches a query', async () => {
  const runs: EmbeddingRun[] = [];
  const embedder = await openOnnxEmbedder({ model, workers: 1, onRun: (run) => runs.push(run) });
  await embedder.embed(['tea'], 'passage');
  await embedder.embed(['tea '.repeat(2_000)], 'passage');
  await embedder.embed(['tea'], 'query');
  await embedder.embed(['tea'], 'query');
  await embedder.close();
  expect(runs.map(({ purpose, outcome }) => `${purpose} ${outcome}`)).toEqual([
    'passage embedded',
    'passage embedded',
    'query embedded',
  ]);
  // Includes the start and end tokens, and the prefix of a query.
  expect(runs.map(({ tokens }) => tokens)).toEqual([3, model.longest, 11]);
  for (const { model: id, durationMs } of runs) {
    expect(id).toBe(model.id);
    expect(durationMs).toBeGreaterThan(0);
  }
});

describe('pooling', () => {
  it('[H4] uses the first state or the mean of all, as configured by the model', async () => {
    const text = 'In March Alice moved from Berlin to Lisbon.';
    const vectors = await Promise.all(
      (['first', 'mean'] as const).map(async (pooling) => {
        const embedder = await openOnnxEmbedder({ model: { ...model, pooling }, workers: 1 });
        const [vector] = await embedder.embed([text], 'passage');
        await embedder.close();
        return vector!;
      }),
    );
    // For the same text and encoder they are similar, but not equal.
    expect(cosine(vectors[0]!, vectors[1]!)).toBeGreaterThan(0.8);
    expect(cosine(vectors[0]!, vectors[1]!)).toBeLessThan(0.999);
  });

  it('[H4] rejects a model with another dimension than registered', async () => {
    const opening = openOnnxEmbedder({ model: { ...model, dimension: 256 }, workers: 1 });
    await expect(opening).rejects.toThrow(/384 numbers per token instead of 256/);
  });
});

const models = process.env['STRATALOG_EMBEDDING_MODELS_DIR'];

describe.skipIf(models === undefined)('e5-small-v2 (if STRATALOG_EMBEDDING_MODELS_DIR has it)', () => {
  const open = () =>
    openOnnxEmbedder({ model: e5Small, folder: path.join(models ?? '', e5Small.name), workers: 1 });

  embedderContract('e5-small-v2', open, { queriesDiffer: true });

  it('[H4] finds the text that answers a question', async () => {
    const embedder = await open();
    const [query] = await embedder.embed(['what broke the deployment'], 'query');
    const texts = [
      'Release 4.2 was rolled back after the migration timed out.',
      'Cake needs four eggs and cinnamon.',
    ];
    const [relevant, irrelevant] = await embedder.embed(texts, 'passage');
    await embedder.close();
    expect(cosine(query!, relevant!)).toBeGreaterThan(cosine(query!, irrelevant!) + 0.03);
  });
});

describe('onnx model files', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'model-'));
    await cp(folderOf(model), folder, { recursive: true });
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
