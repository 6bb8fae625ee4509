import { position, searchId } from '../example-values.ts';
import { memoryExample, supersededExample } from '../memories/examples.ts';

export const contextBodyExample = { query: 'When are releases cut?', tokenBudget: 400 };

const line = `[1] (2026-05-04, replaces what was noted on 2026-05-03) ${memoryExample.content}`;

export const contextExample = {
  text: line,
  tokenCount: 35,
  tokenizer: 'o200k_base',
  items: [
    {
      kind: 'memory',
      id: memoryExample.id,
      externalId: memoryExample.externalId,
      layer: memoryExample.layer,
      tokens: 35,
      citation: `[1] team memory ${memoryExample.externalId}, 2026-05-04`,
      text: memoryExample.content,
    },
  ],
  leftOut: [{ id: supersededExample.id, reason: 'superseded' }],
  searchId,
  position,
  warnings: [],
};
