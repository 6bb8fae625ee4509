import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openOnnxEmbedder } from '../../src/adapters/onnx/embedder.ts';
import { ModelMissing } from '../../src/adapters/onnx/model-files.ts';
import { multilingualE5Small } from '../../src/adapters/onnx/models.ts';
import type { Embedder, EmbeddingRun } from '../../src/ports/embedder.ts';
import { cosine, embedderContract } from './embedder.ts';

const model = multilingualE5Small;
const runs: EmbeddingRun[] = [];
const open = () => openOnnxEmbedder({ model, workers: 1, onRun: (run) => runs.push(run) });

embedderContract('multilingual-e5-small', open, { queriesDiffer: true });

describe('[H4] multilingual-e5-small', () => {
  let embedder: Embedder;
  beforeAll(async () => {
    embedder = await open();
  });
  afterAll(() => embedder.close());

  it('reads the tokens of its model card, with the prefix, and of a long text the first 512', async () => {
    runs.length = 0;
    await embedder.embed(['how much protein should a female eat'], 'query');
    await embedder.embed(['服务器维护窗口为每周三凌晨两点。'.repeat(200)], 'passage');
    expect(runs.map(({ tokens }) => tokens)).toEqual([12, model.longest]);
  });

  it.each([
    ['How far ahead must vacation be requested?', '연차 휴가는 최소 일주일 전에 팀장에게 신청해야 합니다.'],
    ['When does server maintenance take place?', '服务器维护窗口为每周三凌晨两点。'],
    ['Wann werden die Gehälter bezahlt?', 'Salaries are paid on the last day of the month.'],
    ['متى تدفع الرواتب؟', 'Salaries are paid on the last day of the month.'],
  ])('finds across languages what answers %j', async (question, answer) => {
    const others = [
      'The invoice number starts with the letter R.',
      '데이터베이스 백업은 느립니다.',
      'Das Fenster wurde gestrichen.',
      '猫喜欢睡觉。',
    ];
    const [query] = await embedder.embed([question], 'query');
    const [relevant, ...irrelevant] = await embedder.embed([answer, ...others], 'passage');
    for (const other of irrelevant) expect(cosine(query!, relevant!)).toBeGreaterThan(cosine(query!, other));
  });

  it('says how to restore it where it is missing', async () => {
    const opening = openOnnxEmbedder({ model, folder: '/nowhere', workers: 1 });
    await expect(opening).rejects.toBeInstanceOf(ModelMissing);
    await expect(opening).rejects.toThrow(/git checkout -- models\/multilingual-e5-small/);
  });
});
