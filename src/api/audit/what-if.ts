import { z } from 'zod';
import { layerSchema, scopeSchema } from '../../domain/layers.ts';
import { timestamp } from '../../domain/memory/content.ts';
import { mustBePositionOrTime } from '../../domain/position.ts';
import { invalid } from '../../domain/problems.ts';
import { trustSources } from '../../domain/trust/trust.ts';
import { differenceKinds } from '../../domain/retrieval/answer-differences.ts';
import { depthSchema } from '../../domain/summaries/depths.ts';
import type { Choice } from '../../domain/what-if/left-out.ts';
import { readAuditedSearch } from '../../queries/audit-search.ts';
import { recordedQuestion } from '../../queries/replay/recorded-question.ts';
import {
  maxWhatIfEntries,
  whatIfCauses,
  type WhatIfQuestion,
  type WhatIfRequest,
} from '../../queries/what-if.ts';
import { asRecorded, waitFields } from '../fields.ts';
import { operation, type Call } from '../operation.ts';
import { queryText } from '../search/fields.ts';
import { whatIfExample } from './examples.ts';
import { recordedAnswer, shownAnswer } from './recorded-answer.ts';
import { auditors } from './roles.ts';

const maxSearches = 20;
const maxChosen = 1_000;
const defaultTopK = 10;

const chosen = z.array(z.string().max(200)).min(1).max(maxChosen).optional();
const actor = z.string().min(1).max(500).optional();
const when = z.string().optional();
const entries = `At most ${maxWhatIfEntries}`;

const without = z
  .strictObject({
    events: chosen.meta({ description: 'Ids of events, as the audit shows them' }),
    memories: chosen.meta({ description: 'Ids of memories: as if they had never been stored' }),
    actor: actor.meta({
      description: 'Events that this actor caused, such as `agent:scraper` or `user:eve`',
    }),
    source: z.string().min(1).max(2_000).optional().meta({
      description: 'Memories that were stored with this value as `source` in their metadata',
    }),
    trust: z.enum(trustSources).optional().meta({
      description: 'Memories that were stored with this `trust.source`, such as `web`',
    }),
    feedbackOf: actor.meta({ description: 'Feedback and outcomes that this actor gave' }),
    from: when.meta({ description: 'Only events at or after this position or time' }),
    to: when.meta({ description: 'Only events at or before this position or time' }),
  })
  .meta({
    id: 'WithoutEvents',
    description:
      'The events that are left out: those for which all given conditions hold, and what would not have been recorded without them',
  });

const answerSchema = z.object({
  searchId: z.string().optional().meta({ description: 'Absent for the answer to `query`' }),
  position: z.string().meta({ description: 'Position that both answers are from' }),
  before: recordedAnswer,
  after: recordedAnswer,
  differences: z
    .array(
      z.object({
        id: z.string().meta({ description: 'Id of the memory' }),
        kind: z.enum(differenceKinds),
        cause: z.enum(whatIfCauses).meta({
          description:
            '`left-out`: the memory would never have been stored. `follows`: it has another place or score because other events are left out',
        }),
      }),
    )
    .meta({ description: 'Empty if the answers are equal' }),
});

export const whatIf = operation({
  name: 'whatIf',
  summary: 'Show what would have been answered without some events, such as those of one source or actor',
  area: 'Audit',
  input: z
    .strictObject({
      without,
      searches: z
        .array(z.string().max(200))
        .min(1)
        .max(maxSearches)
        .optional()
        .meta({
          description: `Ids of recorded searches, which are run in the name of their callers, as of the positions that they read. At most ${maxSearches}`,
        }),
      query: queryText.optional().meta({
        description: 'A question of the caller, which is asked now. Instead of `searches`, or beside them',
      }),
      ...waitFields,
      waitMs: waitFields.waitMs.meta({
        description:
          'Maximum time to wait for the answer, in milliseconds. Default: 2,000. It is computed for at most ten minutes; the same request finds it when it is there',
      }),
    })
    .meta({ id: 'WhatIf' }),
  output: z
    .object({
      position: z.string().meta({ description: 'Position that summaries, policies and values are from' }),
      leftOut: z.object({
        events: z.int().meta({ description: 'Number of events that were left out up to the position' }),
        memories: z
          .array(z.string())
          .meta({ description: `Memories that would never have been stored. ${entries}` }),
      }),
      answers: z.array(answerSchema),
      summaries: z
        .array(
          z.object({
            layer: layerSchema,
            scope: scopeSchema,
            depth: depthSchema,
            personalized: z.boolean(),
            generatedAt: z.iso.datetime(),
            leftOut: z.array(z.string()).meta({
              description: 'Memories that it was made from, and that are left out',
            }),
            instead: z.iso.datetime().optional().meta({
              description: 'When the summary was generated that would still be in its place',
            }),
          }),
        )
        .meta({ description: `Summaries that would not be there, or say something else. ${entries}` }),
      policies: z
        .array(
          z.object({
            version: z.string(),
            inForce: z.boolean(),
            decisions: z
              .int()
              .meta({ description: 'Number of decisions that it and the versions before it learned from' }),
            leftOut: z.int().meta({
              description: 'How many of them were made, or had an outcome, by events that are left out',
            }),
          }),
        )
        .meta({
          description:
            'Versions of the policy that chooses routes that learned from what is left out. They are not trained again',
        }),
      values: z.array(z.object({ memoryId: z.string(), before: z.number(), after: z.number() })).meta({
        description: `Memories whose \`importance\`, over the searches of all users, would be another one. ${entries}`,
      }),
    })
    .meta({ id: 'WhatIfAnswer' }),
  examples: whatIfExample,
  access: auditors,
  reads: 'log',
  cost: () => 4,
  audit: { what: 'what-if', when: 'always' },
  async handle(call) {
    const { caller, input, services, wait, token } = call;
    const { minPosition: _, waitMs: __, ...asked } = input;
    const answer = await services.whatIfs.ask(caller, asked, () => requestOf(call), wait.waitMs);
    const { leftOut } = answer;
    const output = {
      ...answer,
      position: token(answer.position),
      leftOut: { ...leftOut, memories: [...leftOut.memories] },
      answers: answer.answers.map(({ searchId, position, before, after, differences }) => ({
        ...(searchId !== undefined && { searchId }),
        position: token(position),
        before: shownAnswer(before),
        after: shownAnswer(after),
        differences,
      })),
    };
    return { output, read: { items: answer.answers.length, parameters: asRecorded(asked) } };
  },
});

type WhatIfCall = Call<z.output<typeof whatIf.input>>;

async function requestOf(call: WhatIfCall): Promise<WhatIfRequest> {
  const {
    caller,
    input: { without, searches = [], query },
    services: { commands, directory },
    wait: { waitMs },
  } = call;
  const { store, clock } = commands;
  if (searches.length === 0 && query === undefined)
    throw invalid('searches', 'must be given, or `query`: the questions that are asked again');
  const { from, to, ...conditions } = without;
  const choice: Choice = {
    ...conditions,
    from: from === undefined ? undefined : await positionOf(call, 'from', from),
    to: to === undefined ? undefined : await positionOf(call, 'to', to),
  };
  if (Object.values(choice).every((condition) => condition === undefined))
    throw invalid('without', 'must have at least one condition: which events are left out');
  const recorded = await Promise.all(
    [...new Set(searches)].map(async (searchId): Promise<WhatIfQuestion> => {
      const search = await readAuditedSearch(store, caller, searchId, clock.now(), waitMs);
      const { caller: asker, asked, options } = await recordedQuestion({ store, directory }, search);
      const { data } = search.performed.event;
      return { searchId: data.searchId, position: data.readPosition, caller: asker, asked, options };
    }),
  );
  if (query === undefined) return { tenant: caller.tenant, without: choice, questions: recorded };
  const now: WhatIfQuestion = {
    position: await store.log.head(),
    caller,
    asked: { query, scope: {}, topK: defaultTopK, order: 'precedence', now: clock.now() },
    options: { asksForStandard: true },
  };
  return { tenant: caller.tenant, without: choice, questions: [...recorded, now] };
}

/** The position that a bound names. For a time, `from` begins with its first event, and `to` ends with its last. */
async function positionOf(
  { caller, services }: Pick<Call<unknown>, 'caller' | 'services'>,
  bound: 'from' | 'to',
  sent: string,
): Promise<number> {
  const { store, clock } = services.commands;
  const field = `without.${bound}`;
  const time = timestamp.safeParse(sent);
  if (!time.success) return services.positions.parse(caller, sent, field, mustBePositionOrTime);
  const at = new Date(time.data);
  if (at > clock.now()) throw invalid(field, 'lies in the future');
  if (bound === 'to') return store.log.positionAt(at);
  return (await store.log.positionAt(new Date(at.getTime() - 1))) + 1;
}
