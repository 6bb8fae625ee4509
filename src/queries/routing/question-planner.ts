import type { TenantContext } from '../../domain/access/context.ts';
import type { Filter } from '../../domain/filter.ts';
import type { MemoryView } from '../../domain/memory/view.ts';
import type { HeldValue } from '../../domain/routing/field-values.ts';
import { mentionsFilter, mentionsIn } from '../../domain/routing/followed.ts';
import { planOf } from '../../domain/routing/planner.ts';
import { namesIn, vocabularyRequestOf } from '../../domain/routing/vocabulary-request.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ReadDemand } from '../read-models.ts';
import type { Planner } from './executor-dependencies.ts';
import type { ModelPlanner } from './model-planner.ts';
import type { VocabularyReader } from './vocabulary.ts';

export interface QuestionPlannerParts {
  readonly vocabulary: Pick<VocabularyReader, 'read'>;
  readonly clock: Clock;
  /** Undefined where no language model is configured: then none is on record as missing. */
  readonly model: ModelPlanner | undefined;
}

/**
 * Plans a caller's question from what the caller's tenant names as far as the caller may see it: as the language model
 * proposes, or else by the rules. Who it was, and why not the model, goes in the recorder.
 */
export function questionPlanner({ vocabulary, clock, model }: QuestionPlannerParts): Planner {
  return async (question, caller, run) => {
    const started = performance.now();
    const known = await vocabulary.read(caller, vocabularyRequestOf(question), run.demand);
    const now = clock.now();
    const proposed = await model?.propose({ question, known, now, caller, run });
    const plan = proposed?.plan ?? planOf(question, known, { now });
    run.recorder.planned({
      ...(run.parent !== undefined && { parent: run.parent }),
      depth: run.depth,
      by: proposed?.plan ? proposed.model : 'rules',
      ...(proposed?.reason !== undefined && { reason: proposed.reason }),
      durationMs: Math.round((performance.now() - started) * 100) / 100,
      tokens: proposed?.tokens ?? 0,
    });
    return plan;
  };
}

/** What each of the memories names by identifiers that the caller's tenant knows, in their order. */
export async function findMentions(
  vocabulary: VocabularyReader,
  caller: TenantContext,
  memories: readonly MemoryView[],
  demand: Pick<ReadDemand, 'minPosition' | 'waitMs'> = {},
): Promise<HeldValue[][]> {
  const keys = [...new Set(memories.flatMap(({ content }) => namesIn(content)))];
  if (keys.length === 0) return memories.map(() => []);
  const known = await vocabulary.read(caller, { keys, kinds: [] }, demand);
  return memories.map((memory) => mentionsIn(memory.content, memory, known));
}

/** What any of the memories names; undefined where they name nothing. */
export async function mentionedBy(
  vocabulary: VocabularyReader,
  caller: TenantContext,
  memories: readonly MemoryView[],
  demand: Pick<ReadDemand, 'minPosition' | 'waitMs'> = {},
): Promise<Filter | undefined> {
  return mentionsFilter((await findMentions(vocabulary, caller, memories, demand)).flat());
}
