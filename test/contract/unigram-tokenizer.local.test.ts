import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import { beforeAll, describe, expect, it } from 'vitest';
import { bgeSmall, folderOf, multilingualE5Small, type OnnxModel } from '../../src/adapters/onnx/models.ts';
import { UnigramTokenizer } from '../../src/adapters/onnx/unigram-tokenizer.ts';

const fileOf = async (model: OnnxModel) =>
  JSON.parse(await readFile(path.join(folderOf(model), 'tokenizer.json'), 'utf8')) as Parameters<
    typeof UnigramTokenizer.of
  >[0];

describe('[H4] the tokenizer of multilingual-e5-small', () => {
  let reference: Tokenizer;
  let own: UnigramTokenizer;
  beforeAll(async () => {
    const file = await fileOf(multilingualE5Small);
    reference = new Tokenizer(file, {});
    own = UnigramTokenizer.of(file)!;
  });

  it.each([
    ['nothing', ''],
    ['spaces', ' \n\t  '],
    ['a query', 'query: how much protein should a female eat'],
    ['white space at both ends', '  passage: two  words \n'],
    ['Korean', '연차 휴가는 최소 일주일 전에 팀장에게 신청해야 합니다.'],
    ['Chinese', '服务器维护窗口为每周三凌晨两点。'],
    ['Arabic', 'تُدفع الرواتب في آخر يوم من الشهر.'],
    ['Thai', 'พนักงานต้องแจ้งลาล่วงหน้าสามวัน'],
    ['Hindi', 'वेतन महीने के अंतिम दिन दिया जाता है'],
    ['what NFKC changes', 'ﬁve ½ ① Ａｄｄ ´a´ e\u0301 ㎏ \u00a0x'],
    ['emoji', 'done 👍🏽 👩‍👩‍👧‍👦🏳️‍🌈 ok'],
    ['characters without a piece', 'a \u{13080}\u{13081} b\u{13082}'],
    ['half a surrogate pair', 'a\ud83d b \ude00'],
    ['its own markers', 'a <s> b</s><unk> <pad>c <mask> ▁ ▁d'],
    ['code', 'const x = (a: number[]) => a.map((n) => n ** 2); // 0xFF_00'],
    ['long words', `${'Donaudampfschifffahrtsgesellschaft'.repeat(20)} ${'x'.repeat(2_000)}`],
  ])('has the same tokens as the library for %s', (_, text) => {
    expect(own.encode(text).ids).toEqual(reference.encode(text).ids);
  });

  it('has the same tokens as the library for the texts of the corpus', async () => {
    const folder = path.resolve('corpus');
    const text = await readFile(path.join(folder, 'memories.ndjson'), 'utf8');
    for (const line of text.split('\n').slice(0, 60))
      expect(own.encode(line).ids).toEqual(reference.encode(line).ids);
  });

  it('is not used for another vocabulary', async () => {
    expect(UnigramTokenizer.of(await fileOf(bgeSmall))).toBeUndefined();
  });
});
