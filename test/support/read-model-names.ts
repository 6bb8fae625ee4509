/** The read models as operators see them, in alphabetical order. */
export const readModelNames = [
  'audit',
  'fields',
  'lexical',
  'links',
  'memories',
  'statistics',
  'usage',
  'vectors',
] as const;
