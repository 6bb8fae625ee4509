import type { TenantContext } from '../../domain/access/context.ts';
import type { Filter } from '../../domain/filter.ts';
import type { MemoryView } from '../../domain/memory/view.ts';
import { mentionsFilter } from '../../domain/routing/followed.ts';
import type { Plan } from '../../domain/routing/plan.ts';
import { anyOf } from '../../domain/routing/planner/conditions.ts';
import { planOf } from '../../domain/routing/planner.ts';
import { namesIn, wantedBy } from '../../domain/routing/wanted.ts';
import type { Clock } from '../../ports/clock.ts';
import type { VocabularyReader } from './vocabulary.ts';

/** The plan for a caller's question, from what the caller's tenant names as far as the caller may see it. */
export async function planQuestion(
  vocabulary: VocabularyReader,
  clock: Clock,
  caller: TenantContext,
  question: string,
): Promise<Plan> {
  return planOf(question, await vocabulary.read(caller, wantedBy(question)), { now: clock.now() });
}

/** What memories name by identifiers that the caller's tenant knows; undefined where they name nothing. */
export async function findMentions(
  vocabulary: VocabularyReader,
  caller: TenantContext,
  memories: readonly MemoryView[],
): Promise<Filter | undefined> {
  const filters = await Promise.all(
    memories.map(async (memory) => {
      const known = await vocabulary.read(caller, { keys: namesIn(memory.content), kinds: [] });
      return mentionsFilter(memory.content, memory, known);
    }),
  );
  const found = filters.filter((filter) => filter !== undefined);
  return found.length === 0 ? undefined : anyOf(found);
}
