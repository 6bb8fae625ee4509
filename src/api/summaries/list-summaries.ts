import { z } from 'zod';
import type { TenantContext } from '../../domain/access/context.ts';
import { identifier, layerSchema, scopeKeys, scopeSchema, type Scope } from '../../domain/layers.ts';
import { assertNamesServedUser } from '../../domain/access/on-behalf.ts';
import { depthSchema } from '../../domain/summaries/depths.ts';
import { summaryTriggers } from '../../domain/summaries/events.ts';
import { summaryScopeKey, summaryScopeOf, type SummaryScope } from '../../domain/summaries/summary-scope.ts';
import { listSummaries as list, mostSummarizedScopes } from '../../queries/summaries/list-summaries.ts';
import { asRecorded, waitFields } from '../fields.ts';
import { operation } from '../operation.ts';
import { summariesExample } from './examples.ts';

const summarySchema = z
  .object({
    layer: layerSchema,
    scope: scopeSchema.meta({ description: 'Identifiers that name the scope within its layer' }),
    depth: depthSchema,
    content: z.string().meta({
      description:
        'Sentences of memories, verbatim. Each is followed by `[n]`, the number of its source in `sources`, counted from 1',
    }),
    tokenCount: z.int(),
    tokenizer: z.string(),
    sourceHash: z
      .string()
      .meta({ description: 'Hash of the memories in the scope when the summary was generated' }),
    sources: z.array(z.object({ id: z.string(), revision: z.int() })),
    generatedAt: z.iso.datetime(),
    model: z.string(),
    trigger: z.enum(summaryTriggers),
    freshness: z.object({
      stale: z.boolean().meta({
        description: 'Whether the memories in the scope have changed since the summary was generated',
      }),
      needsRegeneration: z.boolean(),
      ageSeconds: z.int(),
      reason: z.enum(['changed']).optional(),
    }),
  })
  .meta({ id: 'Summary' });

/** `scope.team` and so on: what a query string can carry. */
const scopeFields = Object.fromEntries(
  scopeKeys.map((key) => [`scope.${key}`, identifier.optional()]),
) as unknown as Readonly<Record<`scope.${(typeof scopeKeys)[number]}`, z.ZodOptional<typeof identifier>>>;

export const scopeParameters = Object.keys(scopeFields);

export const listSummaries = operation({
  name: 'listSummaries',
  summary: 'List the summaries of the layers that the caller can see, most specific layer first',
  area: 'Summaries',
  input: z.strictObject({
    layer: layerSchema.optional(),
    ...scopeFields,
    depth: depthSchema.optional(),
    ...waitFields,
  }),
  output: z.object({
    items: z
      .array(summarySchema)
      .optional()
      .meta({
        description: `Summaries of at most ${mostSummarizedScopes} scopes. Absent if the request names one summary`,
      }),
    summary: summarySchema.nullable().optional().meta({
      description:
        'The summary that layer, scope and depth name, or null if there is none. Absent if they can match several',
    }),
    position: z.string(),
  }),
  examples: { input: { layer: 'team', 'scope.team': 'release' }, output: summariesExample },
  access: 'every-caller',
  reads: 'read-models',
  audit: { what: 'summaries', when: 'watched' },
  async handle({ caller, input, services, wait, token }) {
    const { layer, depth } = input;
    const scope: Scope = Object.fromEntries(
      scopeKeys.flatMap((key) => (input[`scope.${key}`] === undefined ? [] : [[key, input[`scope.${key}`]]])),
    );
    assertNamesServedUser(caller, scope);
    const { items, position } = await list(services.models, services.commands.clock, caller, {
      layer,
      scope,
      depth,
      ...wait,
    });
    const named = layer !== undefined && depth !== undefined ? oneScope(caller, { layer, scope }) : undefined;
    return {
      output: {
        ...(named === undefined
          ? { items }
          : { summary: items.find((item) => summaryScopeKey(item) === named) ?? null }),
        position: token(position),
      },
      read: { items: items.length, memories: items, parameters: asRecorded(input) },
    };
  },
});

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
