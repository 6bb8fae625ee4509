import { describe, expect, it } from 'vitest';
import { languageOf } from '../../src/adapters/documents/language.ts';

describe('the language of a text', () => {
  it.each([
    ['en', 'The tower has 147 steps and no lift, and it opens on Thursdays.'],
    ['de', 'Die Asche bleibt drei Tage im Eimer mit Deckel, bevor sie auf das Beet kommt.'],
    ['fr', 'Bonjour tout le monde, voici le compte rendu de la réunion du comité.'],
    ['ja', '鉄瓶の手入れ: 使った後はすぐに乾かす。'],
    ['ko', '철 주전자는 사용한 뒤 바로 말립니다.'],
    ['zh', '铁壶使用后应立即擦干。'],
  ])('is %s', (language, text) => {
    expect(languageOf(text)).toBe(language);
  });

  it.each([
    ['ok'],
    ['Accept all'],
    [''],
    ['x = 1; y = f(x) >> 2'],
    ['LS-2364 1562 46 2025-09 E27'],
    ['https://the.example/of/and/with/for'],
  ])('is not certain for %j', (text) => {
    expect(languageOf(text)).toBeUndefined();
  });

  it('is the one of most of the text', () => {
    const german = 'Die Asche bleibt drei Tage im Eimer mit Deckel, bevor sie auf das Beet kommt. '.repeat(
      20,
    );
    expect(languageOf(`Abstract: this text is about ashes in a bucket. ${german}`)).toBe('de');
  });
});
