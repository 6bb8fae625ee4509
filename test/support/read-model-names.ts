/** The read models as operators see them, in alphabetical order. */
export const readModelNames = [
  'audit',
  'experience',
  'feedback',
  'fields',
  'lessons',
  'lexical',
  'links',
  'memories',
  'policies',
  'statistics',
  'summaries',
  'traces',
  'usage',
  'values',
  'vectors',
] as const;
