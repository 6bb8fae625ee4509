import { expect, it } from 'vitest';
import { bgeSmall, e5Small, multilingualE5Small } from '../../src/adapters/onnx/models.ts';
import { modelAdvice } from '../../src/backends/model-advice.ts';

const advice = (judged: number, foreign: number, model = bgeSmall.id) =>
  modelAdvice({ judged, foreign, model });

it('[A4] advises another model for texts that the live one does not understand', () => {
  expect(advice(100, 34)).toMatch(
    /^34 % of the memories.*bge-small-en-v1\.5.*"stratalog projections rebuild --embedder multilingual-e5-small --switch"$/,
  );
  expect(advice(5, 5, e5Small.id)).toMatch(/^100 %.*e5-small-v2/);
});

it.each([
  ['few texts in other languages', 100, 19],
  ['few texts at all', 4, 4],
  ['nothing stored', 0, 0],
  ['the multilingual model', 100, 100, multilingualE5Small.id],
  ['an unknown model', 100, 100, 'house-model'],
])('[A4] advises nothing with %s', (_, judged, foreign, model?: string) => {
  expect(advice(judged, foreign, model)).toBeUndefined();
});
