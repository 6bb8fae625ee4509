import { z } from 'zod';
import type { TenantContext } from '../domain/access/context.ts';
import { filterFieldNames, filterLimits, filterObject, parseFilter, type Filter } from '../domain/filter.ts';
import { isBlank, textFault, type JsonObject } from '../domain/json.ts';
import { identifier, layerSchema, scopeSchema, type Scope } from '../domain/layers.ts';
import { memorySchema } from '../domain/memory/view.ts';
import { invalid } from '../domain/problems.ts';

const someOf = <Item extends z.ZodType>(item: Item) =>
  z.array(item).min(1, 'must name at least one, or be left out').max(100);

/** A question as it is asked. */
export const queryText = z
  .string()
  .max(20_000)
  .superRefine((query, context) => {
    const fault = isBlank(query) ? 'must not be empty or only white space' : textFault(query);
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
  });

/** What is asked, and where it is looked for: of every kind of search. */
export const searchFields = {
  query: queryText,
  layers: someOf(layerSchema).optional(),
  scope: scopeSchema.extend({ company: identifier.optional() }).optional(),
  spaces: someOf(identifier).optional(),
  filter: filterObject.optional().meta({ description: `Tests on ${filterFieldNames}; ${filterLimits}` }),
  tags: someOf(identifier).optional(),
  topK: z.int().min(1).max(1_000).default(10),
  sessionId: identifier.optional(),
};

export const searchResultSchema = z
  .object({
    memory: memorySchema,
    score: z.number(),
    rank: z.int(),
    supersededBy: z
      .string()
      .optional()
      .meta({ description: 'The newest memory that supersedes it by links, as far as the caller sees them' }),
  })
  .meta({ id: 'SearchResult' });

export const warningsSchema = z.array(z.object({ code: z.string(), detail: z.string() }));

/** The part of a search's body that says where it looks, as a request has it. Throws where the scope is another tenant's. */
export function readReach(
  caller: TenantContext,
  {
    scope = {},
    filter,
    asOf,
  }: {
    scope?: (Scope & { company?: string | undefined }) | undefined;
    filter?: JsonObject | undefined;
    asOf?: string | undefined;
  },
): { scope: Scope; filter?: Filter } {
  const { company, ...identifiers } = scope;
  if (company !== undefined && company !== caller.tenant)
    throw invalid('scope.company', 'must be the tenant of the credential, or left out');
  return {
    scope: identifiers,
    ...(filter && { filter: parseFilter(filter, { isAsOf: asOf !== undefined }) }),
  };
}
