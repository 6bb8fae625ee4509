import type { ModelScale } from './calibration.ts';

/**
 * bge-small-en-v1.5 (int8, vector of the first token, query prefix of its model card), fitted by `bench/ranking` on four
 * data sets: dialogue turns, long chats, documents of organisations, scientific abstracts. Verbatim text has a cosine
 * of .84 to .99 under this model, answers .5 to .9, unrelated text .2 to .6.
 */
export const BGE_SMALL: ModelScale = {
  fusion: {
    lexical: 0.13,
    nearCosine: 0.75,
    nearGain: 0.6,
    overlap: 0.3,
    speaker: { asker: 0.12, named: 0.04 },
    dated: 0.12,
  },
  both: { intercept: -8.34, slope: 6.71 },
  denseOnly: { intercept: -9.89, slope: 10.52 },
  lexicalOnly: { intercept: -4.96, slope: 11.21 },
};

/**
 * e5-small-v2 (int8, mean of the states, prefixes of its model card), fitted on the same sets. Its cosines lie close together
 * (by the vector alone, .92 is an even chance), so everything added to them weighs half of what it does for bge.
 */
export const E5_SMALL: ModelScale = {
  fusion: {
    lexical: 0.065,
    nearCosine: 1,
    nearGain: 0,
    overlap: 0.15,
    speaker: { asker: 0.06, named: 0.02 },
    dated: 0.06,
  },
  both: { intercept: -17.34, slope: 15.98 },
  denseOnly: { intercept: -28.69, slope: 31.3 },
  lexicalOnly: { intercept: -4.96, slope: 22.41 },
};

/**
 * multilingual-e5-small (int8, mean of the states, prefixes of its model card), fitted on parts of the same sets and on
 * short notes of which a fifth is not in English. Its cosines lie between .7 and .9, so everything added to them weighs .4 of what it
 * does for bge. The lines are those of the sample, moved by the log-odds by which bge's lines on that sample differ from its own, so that
 * relevance means the same with both models; by words alone it is the same.
 */
export const MULTILINGUAL_E5_SMALL: ModelScale = {
  fusion: {
    lexical: 0.052,
    nearCosine: 1,
    nearGain: 0,
    overlap: 0.12,
    speaker: { asker: 0.048, named: 0.016 },
    dated: 0.048,
  },
  both: { intercept: -18.52, slope: 17.26 },
  denseOnly: { intercept: -31.92, slope: 34.24 },
  lexicalOnly: { intercept: -4.96, slope: 28.03 },
};

/**
 * For a model that was not measured. Unrelated texts have cosines of about .1 under some models and .8 under others. So the
 * cosine only orders what the words leave open, and changes the probability little: by words alone a memory may pass the default
 * threshold, by the vector alone only a nearly identical one does. Fit the model with `bench/ranking` to improve this.
 */
export const UNKNOWN_MODEL: ModelScale = {
  fusion: {
    lexical: 0.61,
    nearCosine: 1,
    nearGain: 0,
    overlap: 1.2,
    speaker: { asker: 0.3, named: 0.1 },
    dated: 0.3,
  },
  both: { intercept: -7, slope: 3 },
  denseOnly: { intercept: -18, slope: 20 },
  lexicalOnly: { intercept: -5.21, slope: 3 },
};

const SCALES: ReadonlyMap<string, ModelScale> = new Map([
  ['bge-small-en-v1.5', BGE_SMALL],
  ['e5-small-v2', E5_SMALL],
  ['multilingual-e5-small', MULTILINGUAL_E5_SMALL],
]);

/**
 * The scale of an embedding model by its id: the model's name, perhaps with an owner before it and a variant after it
 * (`BAAI/bge-small-en-v1.5`, `e5-small-v2-int8-7d9092cb`). An unknown or missing id has the scale `UNKNOWN_MODEL`.
 */
export function scaleOf(modelId: string | undefined): ModelScale {
  const id = modelId?.split('/').at(-1)?.toLowerCase() ?? '';
  for (const [name, scale] of SCALES) {
    if (id === name || (id.startsWith(name) && /[-:@#]/.test(id.charAt(name.length)))) return scale;
  }
  return UNKNOWN_MODEL;
}
