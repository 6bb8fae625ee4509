import { z } from 'zod';
import { SearchPerformed } from '../../domain/retrieval/events.ts';
import type { PerformedSearch } from '../../queries/replay/replayed-search.ts';

const performed = SearchPerformed.routing.shape;

export const recordedAnswer = z
  .object({
    embeddingModel: performed.embeddingModel,
    route: performed.route.meta({ description: 'Route of the results. A replay takes the standard one' }),
    policyVersion: z.string().optional().meta({ description: 'Policy that chose the route' }),
    warnings: z.array(z.string()),
    results: performed.results,
  })
  .meta({ id: 'RecordedAnswer', description: 'An answer as it is recorded: without contents' });

/** An answer without contents. */
export function shownAnswer({
  embeddingModel,
  route,
  decision,
  warnings,
  results,
}: PerformedSearch): z.infer<typeof recordedAnswer> {
  return { embeddingModel, route, policyVersion: decision?.choice?.policyVersion, warnings, results };
}
