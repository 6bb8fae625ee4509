import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openOnnxEmbedder } from '../../src/adapters/onnx/embedder.ts';
import { ModelMissing } from '../../src/adapters/onnx/model-files.ts';
import { multilingualE5Small } from '../../src/adapters/onnx/models.ts';
import { passagesOf, passageText } from '../../src/domain/text/passages.ts';
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

  it('reads the tokens of its model card, with the prefix, and of a long question the first 512', async () => {
    runs.length = 0;
    await embedder.embed(['how much protein should a female eat'], 'query');
    await embedder.embed(['服务器维护窗口为每周三凌晨两点。'.repeat(200)], 'query');
    expect(runs.map(({ tokens }) => tokens)).toEqual([12, model.longest]);
  });

  it('[A17] makes the vector of a long text of those of its first passages, which it reads once', async () => {
    const text = Array.from(
      { length: 60 },
      (_, n) => `Hall ${n} has a pump, which was checked in week ${n}.`,
    ).join(' ');
    const passages = passagesOf(text).map((passage) => passageText(text, passage));
    expect(passages.length).toBeGreaterThan(3);
    runs.length = 0;
    const [whole, ...own] = await embedder.embed([text, ...passages], 'passage');
    expect(runs).toHaveLength(passages.length);
    for (const vector of own.slice(0, 3)) expect(cosine(whole!, vector)).toBeGreaterThan(0.9);
    const mean = own[0]!.map((_, at) => own[0]![at]! + own[1]![at]! + own[2]![at]!);
    expect(cosine(whole!, mean) / Math.sqrt(cosine(mean, mean))).toBeCloseTo(1, 6);
    expect(await embedder.embed([text], 'passage')).toEqual([whole]);
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
