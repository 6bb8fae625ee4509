import { describe, expect, it } from 'vitest';
import type { ModelScale } from '../../src/domain/ranking/calibration.ts';
import {
  BGE_SMALL,
  E5_SMALL,
  MULTILINGUAL_E5_SMALL,
  scaleOf,
  UNKNOWN_MODEL,
} from '../../src/domain/ranking/scales.ts';

describe('scaleOf', () => {
  it.each([
    'bge-small-en-v1.5',
    'BAAI/bge-small-en-v1.5',
    'bge-small-en-v1.5-int8-6c9c6101',
    'bge-small-en-v1.5:q8',
  ])('knows the bundled model as %s', (id) => {
    expect(scaleOf(id)).toBe(BGE_SMALL);
  });

  it.each(['e5-small-v2', 'intfloat/e5-small-v2', 'e5-small-v2-int8-7d9092cb'])(
    'knows the other small model as %s',
    (id) => {
      expect(scaleOf(id)).toBe(E5_SMALL);
    },
  );

  it.each(['intfloat/multilingual-e5-small', 'multilingual-e5-small-int8-f9c28841'])(
    'knows the multilingual model as %s',
    (id) => {
      expect(scaleOf(id)).toBe(MULTILINGUAL_E5_SMALL);
    },
  );

  it('judges by words alone in the same way with each model', () => {
    const byWords = ({ fusion, lexicalOnly }: ModelScale) => lexicalOnly.slope * fusion.lexical;
    for (const scale of [E5_SMALL, MULTILINGUAL_E5_SMALL]) {
      expect(scale.lexicalOnly.intercept).toBe(BGE_SMALL.lexicalOnly.intercept);
      expect(byWords(scale)).toBeCloseTo(byWords(BGE_SMALL), 2);
    }
  });

  it.each([undefined, '', 'bge-small-en-v1.50', 'bge-small-en', 'e5-small', 'text-embedding-3-small'])(
    'is cautious with %s',
    (id) => {
      expect(scaleOf(id)).toBe(UNKNOWN_MODEL);
    },
  );
});
