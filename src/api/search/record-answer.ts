import type { CommandContext } from '../../commands/context.ts';
import type { SearchFact } from '../../queries/search/answer.ts';
import type { Services } from '../services.ts';

/** Records what was asked and answered, after the answer; in shadow mode also the run that follows it. */
export function recordAnswer(
  { facts }: Pick<Services, 'facts'>,
  context: CommandContext,
  { fact, later }: { readonly fact: SearchFact; readonly later: Promise<SearchFact> | undefined },
): void {
  facts.record({ ...fact, context });
  later?.then(
    (follower) => facts.record({ ...follower, context, follows: true }),
    () => undefined,
  );
}
