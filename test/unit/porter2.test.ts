import { describe, expect, it } from 'vitest';
import { stem } from '../../src/domain/text/porter2.ts';

/** Results of `ts_lexize('english_stem', word)` in PostgreSQL 18. The whole vocabulary of the benchmarks was compared once. */
const POSTGRES: Record<string, string> = {
  caresses: 'caress',
  ponies: 'poni',
  ties: 'tie',
  gas: 'gas',
  gaps: 'gap',
  kiwis: 'kiwi',
  consensus: 'consensus',
  agreed: 'agre',
  feedly: 'feed',
  hopping: 'hop',
  hoping: 'hope',
  adding: 'add',
  egging: 'egg',
  falling: 'fall',
  conflated: 'conflat',
  sized: 'size',
  happy: 'happi',
  say: 'say',
  spy: 'spi',
  yellowy: 'yellowi',
  relational: 'relat',
  conditional: 'condit',
  vietnamization: 'vietnam',
  hopefulness: 'hope',
  sensibility: 'sensibl',
  ontology: 'ontolog',
  quickly: 'quick',
  electrical: 'electr',
  formative: 'format',
  replacement: 'replac',
  adoption: 'adopt',
  controlling: 'control',
  generously: 'generous',
  communism: 'communism',
  arsenal: 'arsenal',
  skies: 'sky',
  dying: 'die',
  news: 'news',
  innings: 'inning',
  proceeds: 'proceed',
  databases: 'databas',
  kubernetes: 'kubernet',
  running: 'run',
  rate: 'rate',
};

describe('the English stemmer', () => {
  it.each(Object.entries(POSTGRES))('stems %s as PostgreSQL does: %s', (word, expected) => {
    expect(stem(word)).toBe(expected);
  });

  it.each(['a', 'is', 'v2', 'café', '1.27', 'x86', ''])('does not change %j', (word) => {
    expect(stem(word)).toBe(word);
  });
});
