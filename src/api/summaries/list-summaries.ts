import { z } from 'zod';
import type { TenantContext } from '../../domain/access/context.ts';
import { identifier, layerSchema, scopeSchema } from '../../domain/layers.ts';
import { readSummarySettings } from '../../commands/summaries/configure-summaries.ts';
import { assertNamesServedUser } from '../../domain/access/on-behalf.ts';
import { depthSchema } from '../../domain/summaries/depths.ts';
import { staleReasons } from '../../domain/summaries/freshness.ts';
import { fallbacks, type Fallback } from '../../domain/grounding/fallback.ts';
import { summaryTriggers } from '../../domain/summaries/events.ts';
import { summaryScopeKey, summaryScopeOf, type SummaryScope } from '../../domain/summaries/summary-scope.ts';
import type { Summary } from '../../queries/summaries/list-summaries.ts';
import { maxSummarizedScopes } from '../../queries/summaries/summary-rows.ts';
import { asOfField, asRecorded, waitFields } from '../fields.ts';
import { scopeFields, scopeNamedBy } from '../scope-parameters.ts';
import { operation } from '../operation.ts';
import { queryText, warningsSchema } from '../search/fields.ts';
import { summariesExample } from './examples.ts';
import { personOf } from './person.ts';
import { readers } from '../memories/roles.ts';

const summarySchema = z
  .object({
    layer: layerSchema,
    scope: scopeSchema.meta({ description: 'Identifiers that name the scope within its layer' }),
    depth: depthSchema,
    personalized: z.boolean().meta({ description: 'Whether it is for one user alone' }),
    personalization: z
      .object({ user: z.string(), session: z.string().optional(), judged: z.int(), own: z.int() })
      .optional()
      .meta({
        description:
          'Whom it is for, how many of its memories that user judged (`judged`), and how many name that user (`own`)',
      }),
    content: z.string().meta({
      description:
        'Sentences of memories, verbatim, or written by a language model. Each is followed by `[n]`, the number of its source in `sources`, counted from 1',
    }),
    tokenCount: z.int(),
    tokenizer: z.string(),
    sourceHash: z
      .string()
      .meta({ description: 'Hash of the memories in the scope when the summary was generated' }),
    sources: z.array(z.object({ id: z.string(), revision: z.int() })),
    generatedAt: z.iso.datetime(),
    model: z.string().meta({ description: 'The language model that wrote it; `extractive-1` if none did' }),
    fallback: z.enum(fallbacks).optional().meta({
      description: 'Why no language model wrote it, although one is configured',
    }),
    trigger: z.enum(summaryTriggers),
    relevance: z.number().optional().meta({ description: 'Probability that it is relevant to `query`' }),
    freshness: z.object({
      stale: z.boolean().meta({
        description: 'Whether the memories in the scope have changed since the summary was generated',
      }),
      needsRegeneration: z.boolean(),
      ageSeconds: z.int(),
      reason: z.enum(staleReasons).optional().meta({ description: 'Why it is stale' }),
    }),
  })
  .meta({ id: 'Summary' });

export const listSummaries = operation({
  name: 'listSummaries',
  summary: 'List the summaries of the layers that the caller can see, most specific layer first',
  area: 'Summaries',
  input: z.strictObject({
    layer: layerSchema.optional(),
    ...scopeFields,
    depth: depthSchema.optional(),
    user: identifier.optional().meta({
      description: 'The summaries that were personalised for this user, instead of those for everybody',
    }),
    session: identifier.optional().meta({
      description: 'Those for one session of the user. Default of `user`: the user of the caller',
    }),
    query: queryText.optional().meta({ description: 'A question: each summary has its relevance to it' }),
    asOf: asOfField,
    ...waitFields,
  }),
  output: z.object({
    items: z
      .array(summarySchema)
      .optional()
      .meta({
        description: `Summaries of at most ${maxSummarizedScopes} scopes. Absent if the request names one summary`,
      }),
    summary: summarySchema.nullable().optional().meta({
      description:
        'The summary that layer, scope and depth name, or null if there is none. Absent if they can match several',
    }),
    position: z.string(),
    warnings: warningsSchema,
  }),
  examples: { input: { layer: 'team', 'scope.team': 'release' }, output: summariesExample },
  access: 'every-caller',
  serves: readers,
  reads: 'read-models',
  awaitsOwn: ['summaries'],
  audit: { what: 'summaries', when: 'watched' },
  cost: ({ asOf }) => (asOf === undefined ? 0.5 : 3),
  shape: ({ asOf }) => (asOf === undefined ? undefined : 'past'),
  async handle({ caller, input, services, asOf, wait, token }) {
    const { layer, depth, query } = input;
    const person = personOf(caller, input);
    const scope = scopeNamedBy(input);
    assertNamesServedUser(caller, scope);
    const settings = await readSummarySettings(services.commands.store, caller.tenant, asOf);
    const asked = { layer, scope, depth, person, query };
    const { items, position } = await (asOf === undefined
      ? services.summaries.list(caller, settings, { ...asked, ...wait })
      : services.past.at({ tenant: caller.tenant, position: asOf, waitMs: wait.waitMs }, ({ summaries }) =>
          summaries.list(caller, settings, asked),
        ));
    const named = layer !== undefined && depth !== undefined ? oneScope(caller, { layer, scope }) : undefined;
    return {
      output: {
        ...(named === undefined
          ? { items }
          : { summary: items.find((item) => summaryScopeKey(item) === named) ?? null }),
        position: token(position),
        warnings: warningsOf(items),
      },
      read: { items: items.length, memories: items, parameters: asRecorded(input) },
    };
  },
});

const fallbackReasons: Readonly<Record<Fallback, string>> = {
  'budget-exhausted': 'the budget of the tenant was used up',
  'model-failed': 'the language model did not give a usable answer',
  'claims-unsupported': 'what the language model wrote is not in its sources',
  interrupted: 'the process ended while the language model was writing',
};

/** One warning for the stale summaries, and one for each reason why a language model did not write some, so that no caller has to check every summary. */
function warningsOf(items: readonly Summary[]): z.infer<typeof warningsSchema> {
  const stale = items.filter(({ freshness }) => freshness.stale);
  const warnings: z.infer<typeof warningsSchema> = fallbacks.flatMap((fallback) => {
    const count = items.filter((item) => item.fallback === fallback).length;
    const detail = `${count} of ${items.length} summaries are made of quotations, because ${fallbackReasons[fallback]}`;
    return count === 0 ? [] : [{ code: fallback, detail }];
  });
  if (stale.length > 0)
    warnings.unshift({
      code: 'stale-summary',
      detail: `${stale.length} of ${items.length} summaries are older than what they sum up`,
    });
  return warnings;
}

/**
 * The key of the scope that the input names; undefined if it may mean several. If the scope needs a user, the caller's own one is the
 * default.
 */
function oneScope(caller: TenantContext, { layer, scope }: SummaryScope): string | undefined {
  const isNamed = layer === 'company' || scope[layer] !== undefined;
  if (!isNamed) return undefined;
  const { user = caller.user } = scope;
  return summaryScopeKey(summaryScopeOf({ layer, scope: { ...scope, ...(user !== undefined && { user }) } }));
}
