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

  it('finds a word whatever its case, accents, width or possessive', () => {
    for (const variant of ['café', 'CAFÉ', 'cafe', 'Ｃａｆｅ', 'Café’s', "cafe's", 'cafe\u0301']) {
      expect(terms(variant)).toEqual(['cafe']);
    }
  });

  it('takes identifiers apart at punctuation, so that a part finds the whole', () => {
    expect(terms('KEP-2313')).toEqual(['kep', '2313']);
    expect(terms('parse_config')).toEqual(['pars', 'config']);
    expect(terms('alice@example.com')).toEqual(['alic', 'exampl', 'com']);
    expect(terms('src/domain/text.ts')).toEqual(['src', 'domain', 'text', 'ts']);
  });

  it('keeps dotted numbers whole, with or without a v', () => {
    expect(terms('v1.27')).toEqual(['1.27']);
    expect(terms('Kubernetes 1.27.3, not 1.28.')).toEqual(['kubernet', '1.27.3', '1.28']);
    expect(terms('10.0.0.1')).toEqual(['10.0.0.1']);
  });

  it('reads scripts without spaces by pairs of characters, others by words', () => {
    expect(terms('会議室')).toEqual(['会議', '議室']);
    expect(terms('茶')).toEqual(['茶']);
    expect(terms('Привет мир')).toEqual(['привет', 'мир']);
    expect(terms('हिन्दी')).toEqual(['हिन्दी']);
  });

  it('ends a word where its script meets another one, or a number', () => {
    expect(terms('我买了iPhone手机')).toEqual(['我买', '买了', 'iphon', '手机']);
    expect(terms('2024年の会議')).toEqual(['2024', '年の', 'の会', '会議']);
    expect(terms('版本1.27')).toEqual(['版本', '1.27']);
    expect(terms('コーヒー')).toEqual(['コー', 'ーヒ', 'ヒー']);
    expect(terms('ภาษาไทย2024')).toContain('2024');
  });

  it('keeps stop words where there is nothing else, and pictographs', () => {
    expect(terms('To be or not to be')).toEqual(['to', 'be', 'or', 'not']);
    expect(terms('❤️ 🎉')).toEqual(['❤', '🎉']);
  });

  it('finds nothing in white space and signs', () => {
    expect(termCounts(' \n\t…—!?\u0000\ud800')).toEqual({ counts: new Map(), length: 0 });
  });

  it('knows the words of Object.prototype as words', () => {
    expect(termCounts('constructor __proto__').counts.get('constructor')).toBe(1);
  });

  it('bounds what a row can become, and still knows the length', () => {
    const { counts, length } = termCounts(Array.from({ length: 20_000 }, (_, i) => `w${i}`).join(' '));
    expect(counts.size).toBe(MAX_DISTINCT_TERMS);
    expect(length).toBe(20_000);
    expect(terms('x'.repeat(200_000))).toEqual(['x'.repeat(MAX_TERM_LENGTH)]);
  });

  it('cuts no term through a character', () => {
    expect(terms(`${'b'.repeat(MAX_TERM_LENGTH - 1)}𐌰𐌱`)).toEqual(['b'.repeat(MAX_TERM_LENGTH - 1)]);
    expect(terms(`${'b'.repeat(MAX_TERM_LENGTH - 2)}𐌰𐌱`)).toEqual([`${'b'.repeat(MAX_TERM_LENGTH - 2)}𐌰`]);
  });

  it('keeps no text for a word that was in it', () => {
    const texts = 1_000;
    const rest = ' green tea with milk'.repeat(1_000);
    const before = heapUsed();
    for (let n = 0; n < texts; n++) {
      const own = Array.from(`${n}`, (digit) => 'bcdfghjklm'[Number(digit)]).join('');
      // In one piece, as it comes from a database.
      termCounts(Buffer.from(`${own.padEnd(20, 'q')}${rest}`).toString());
    }
    expect(heapUsed() - before).toBeLessThan((texts * rest.length) / 4);
  });
});
