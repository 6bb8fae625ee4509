import { z } from 'zod';
import { filterObject, parseFilter } from '../../domain/filter.ts';
import { textFault } from '../../domain/json.ts';
import { identifier, layerSchema, scopeSchema } from '../../domain/layers.ts';
import { memorySchema } from '../../domain/memory/view.ts';
import { positionToken } from '../../domain/position.ts';
import { invalid } from '../../domain/problems.ts';
import { asOfParameter, readAsOf, readWait, waitFields } from '../parameters.ts';
import { route } from '../route.ts';
import { searchExample } from './examples.ts';

const someOf = <Item extends z.ZodType>(item: Item) =>
  z.array(item).min(1, 'must name at least one, or be left out').max(100);

export const searchInput = z
  .strictObject({
    query: z
      .string()
      .max(20_000)
      .superRefine((query, context) => {
        const fault = query.trim() === '' ? 'must not be empty or only white space' : textFault(query);
        if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
      }),
    layers: someOf(layerSchema).optional(),
    scope: scopeSchema.extend({ company: identifier.optional() }).optional(),
    spaces: someOf(identifier).optional(),
    filter: filterObject.optional(),
    tags: someOf(identifier).optional(),
    topK: z.int().min(1).max(1_000).default(10),
    threshold: z.number().min(0).max(1).default(0.7),
    order: z.enum(['precedence', 'relevance']).default('precedence'),
    asOf: asOfParameter,
    sessionId: identifier.optional(),
    mode: z.enum(['standard']).optional(),
    ...waitFields,
  })
  .meta({ id: 'Search' });

export const searchRoute = route({
  method: 'post',
  path: '/v1/search',
  operationId: 'search',
  summary: 'Search what the caller may see',
  tag: 'Search',
  body: searchInput,
  responses: {
    200: {
      description: 'Results, best first within the order asked for',
      example: searchExample,
      schema: z
        .object({
          results: z.array(z.object({ memory: memorySchema, score: z.number(), rank: z.int() })),
          searchId: z.string(),
          position: z.string(),
          warnings: z.array(z.object({ code: z.string(), detail: z.string() })),
        })
        .meta({ id: 'SearchAnswer' }),
    },
  },
  async handle({ caller, context, body }, services) {
    const { store, clock } = services.commands;
    const { minPosition, waitMs, filter, scope = {}, asOf, mode, ...rest } = body;
    const { company, ...identifiers } = scope;
    if (company !== undefined && company !== caller.tenant) {
      throw invalid('scope.company', 'must be the tenant of the credential, or left out');
    }
    const request = {
      ...rest,
      scope: identifiers,
      ...(filter && { filter: parseFilter(filter) }),
      asOf: await readAsOf(store, clock.now(), asOf),
      ...readWait(store, { minPosition, waitMs }),
    };
    const { fact, later, position, ...answer } = await services.search.search(caller, request, {
      asksForStandard: mode === 'standard',
      filterAsSent: filter,
    });
    services.facts.record({ ...fact, context });
    later?.then(
      (follower) => services.facts.record({ ...follower, context, follows: true }),
      () => undefined,
    );
    return { status: 200, body: { ...answer, position: positionToken(store.log.logId, position) } };
  },
});
