import { describe, expect, it } from 'vitest';
import { MAX_DISTINCT_TERMS, MAX_TERM_LENGTH, termCounts } from '../../src/domain/text/tokens.ts';
import { heapUsed } from '../support/heap.ts';

const terms = (text: string) => [...termCounts(text).counts.keys()];

describe('termCounts', () => {
  it('counts stems, without stop words', () => {
    const { counts, length } = termCounts('The server serves what the servers served.');
    expect(Object.fromEntries(counts)).toEqual({ server: 2, serv: 2 });
    expect(length).toBe(4);
  });

  it('ignores case, accents, width and possessive', () => {
    for (const variant of ['café', 'CAFÉ', 'cafe', 'Ｃａｆｅ', 'Café’s', "cafe's", 'cafe\u0301']) {
      expect(terms(variant)).toEqual(['cafe']);
    }
  });

  it('splits identifiers at punctuation, so that a part matches the whole', () => {
    expect(terms('KEP-2313')).toEqual(['kep', '2313']);
    expect(terms('parse_config')).toEqual(['pars', 'config']);
    expect(terms('alice@example.com')).toEqual(['alic', 'exampl', 'com']);
    expect(terms('src/domain/text.ts')).toEqual(['src', 'domain', 'text', 'ts']);
  });

  it('does not split dotted numbers, with or without a v', () => {
    expect(terms('v1.27')).toEqual(['1.27']);
    expect(terms('Kubernetes 1.27.3, not 1.28.')).toEqual(['kubernet', '1.27.3', '1.28']);
    expect(terms('10.0.0.1')).toEqual(['10.0.0.1']);
  });

  it('uses character bigrams for scripts without spaces and words for others', () => {
    expect(terms('会议室')).toEqual(['会议', '议室']);
    expect(terms('데이터는')).toEqual(['데이', '이터', '터는']);
    expect(terms('茶')).toEqual(['茶']);
    expect(terms('Привет мир')).toEqual(['привет', 'мир']);
    expect(terms('हिन्दी')).toEqual(['हिन्दी']);
  });

  it('ends a word where the script changes or a number begins', () => {
    expect(terms('我买了iPhone手机')).toEqual(['我买', '买了', 'iphon', '手机', 'phone']);
    expect(terms('2024年の会議')).toEqual(['2024', '年の', 'の会', '会议']);
    expect(terms('API는 2024년')).toEqual(['api', '는', '2024', '년']);
    expect(terms('版本1.27')).toEqual(['版本', '1.27']);
    expect(terms('コーヒー')).toEqual(['コー', 'ーヒ', 'ヒー']);
    expect(terms('ภาษาไทย2024')).toContain('2024');
  });

  it('keeps pictographs, and stop words if there is nothing else', () => {
    expect(terms('To be or not to be')).toEqual(['to', 'be', 'or', 'not']);
    expect(terms('❤️ 🎉')).toEqual(['❤', '🎉']);
  });

  it('finds no terms in white space and punctuation', () => {
    expect(termCounts(' \n\t…—!?\u0000\ud800')).toEqual({ counts: new Map(), length: 0 });
  });

  it('counts names of Object.prototype members like other words', () => {
    expect(termCounts('constructor __proto__').counts.get('constructor')).toBe(1);
  });

  it('limits the number of distinct terms but counts the full length', () => {
    const { counts, length } = termCounts(Array.from({ length: 20_000 }, (_, i) => `w${i}`).join(' '));
    expect(counts.size).toBe(MAX_DISTINCT_TERMS);
    expect(length).toBe(20_000);
    expect(terms('x'.repeat(200_000))).toEqual(['x'.repeat(MAX_TERM_LENGTH)]);
  });

  it('does not cut a term within a character', () => {
    expect(terms(`${'b'.repeat(MAX_TERM_LENGTH - 1)}𐌰𐌱`)).toEqual(['b'.repeat(MAX_TERM_LENGTH - 1)]);
    expect(terms(`${'b'.repeat(MAX_TERM_LENGTH - 2)}𐌰𐌱`)).toEqual([`${'b'.repeat(MAX_TERM_LENGTH - 2)}𐌰`]);
  });

  it('does not keep a text in memory for a word of it', () => {
    const texts = 1_000;
    const rest = ' green tea with milk'.repeat(1_000);
    const before = heapUsed();
    for (let n = 0; n < texts; n++) {
      const own = Array.from(`${n}`, (digit) => 'bcdfghjklm'[Number(digit)]).join('');
      // A flat string, like one from a database.
      termCounts(Buffer.from(`${own.padEnd(20, 'q')}${rest}`).toString());
    }
    expect(heapUsed() - before).toBeLessThan((texts * rest.length) / 4);
  });
});
