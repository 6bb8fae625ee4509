import { z } from 'zod';
import { positionToken } from '../../domain/position.ts';
import { asOfParameter, readAsOf, readWait, waitFields } from '../parameters.ts';
import { route } from '../route.ts';
import { readReach, searchFields, searchResultSchema, warningsSchema } from '../search-fields.ts';
import { searchBodyExample, searchExample } from './examples.ts';

const searchInput = z
  .strictObject({
    ...searchFields,
    threshold: z.number().min(0).max(1).default(0.7),
    order: z.enum(['precedence', 'relevance']).default('precedence'),
    asOf: asOfParameter,
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
  bodyExample: searchBodyExample,
  responses: {
    200: {
      description: 'Results, best first within the order asked for',
      example: searchExample,
      schema: z
        .object({
          results: z.array(searchResultSchema),
          searchId: z.string(),
          position: z.string(),
          warnings: warningsSchema,
        })
        .meta({ id: 'SearchAnswer' }),
    },
  },
  async handle({ caller, context, body }, services) {
    const { store, clock } = services.commands;
    const { minPosition, waitMs, filter, scope, asOf, mode, ...rest } = body;
    const request = {
      ...rest,
      ...readReach(caller, { scope, filter, asOf }),
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
