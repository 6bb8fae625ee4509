import type { TenantContext } from '../../domain/access/context.ts';
import type { Plan } from '../../domain/routing/plan.ts';
import { planOf } from '../../domain/routing/planner.ts';
import { wantedBy } from '../../domain/routing/wanted.ts';
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
