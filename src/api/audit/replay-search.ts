import { z } from 'zod';
import { differenceCauses, differenceKinds } from '../../domain/retrieval/answer-differences.ts';
import { readAuditedSearch } from '../../queries/audit-search.ts';
import { replaySearch } from '../../queries/replay/replayed-search.ts';
import { waitFields } from '../fields.ts';
import { operation } from '../operation.ts';
import { auditedSearchExample, replayExample } from './examples.ts';
import { recordedAnswer, shownAnswer } from './recorded-answer.ts';
import { auditors } from './roles.ts';

export const replayAuditedSearch = operation({
  name: 'replaySearch',
  summary: 'Run a recorded search again as of the position that it read, and explain each difference',
  area: 'Audit',
  input: z.strictObject({
    searchId: z.string().max(200),
    ...waitFields,
    waitMs: waitFields.waitMs.meta({
      description:
        'Maximum time to wait for `minPosition`, for the record of a search that was made just now, and for the read models to reach the end of the log, in milliseconds. Default: 2,000',
    }),
  }),
  output: z
    .object({
      searchId: z.string(),
      position: z.string().meta({ description: 'Position that both answers are from' }),
      asRecorded: recordedAnswer,
      now: recordedAnswer,
      differences: z
        .array(
          z.object({
            id: z.string().meta({ description: 'Id of the memory' }),
            kind: z.enum(differenceKinds).meta({
              description:
                '`missing`: only in the recorded answer. `added`: only in the new one. `moved`: in another order. `score`: in its place, with another relevance',
            }),
            cause: z.enum(differenceCauses).meta({
              description:
                '`erased`: the memory, or one that stood beside it, was erased. `model`: another embedding model compares meaning. `weights`: the answer was found by another route. `feedback`: feedback or the value of memories counted otherwise. `scope`: what the caller could see is not known exactly. `changed`: none of these',
            }),
          }),
        )
        .meta({ description: 'Empty if the answers are equal' }),
    })
    .meta({ id: 'ReplayedSearch' }),
  examples: { input: { searchId: auditedSearchExample.searchId }, output: replayExample },
  access: auditors,
  reads: 'log',
  cost: () => 4,
  shape: () => 'past',
  audit: { what: 'search replay', when: 'always' },
  async handle({ caller, input: { searchId }, services, wait: { waitMs }, token }) {
    const { commands, search, directory } = services;
    const { store, clock } = commands;
    const recorded = await readAuditedSearch(store, caller, searchId, clock.now(), waitMs);
    const { now, differences } = await replaySearch({ store, search, directory }, recorded, waitMs);
    const { data } = recorded.performed.event;
    const output = {
      searchId: data.searchId,
      position: token(data.readPosition),
      asRecorded: shownAnswer(data),
      now: shownAnswer(now),
      differences,
    };
    return { output, read: { items: now.results.length, parameters: { searchId } } };
  },
});
