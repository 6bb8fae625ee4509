import type { TenantContext } from '../../domain/access/context.ts';
import type { Filter } from '../../domain/filter.ts';
import type { MemoryView } from '../../domain/memory/view.ts';
import type { FieldValuePair } from '../../domain/routing/field-values.ts';
import { mentionsFilter, mentionsIn } from '../../domain/routing/mentions.ts';
import { planOf } from '../../domain/routing/planner.ts';
import { namesIn, vocabularyRequestOf } from '../../domain/routing/vocabulary-request.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Wait } from '../read-models.ts';
import type { Planner } from './executor-dependencies.ts';
import type { ModelPlanner } from './model-planner.ts';
import type { VocabularyReader } from './vocabulary.ts';

export interface QuestionPlannerDependencies {
  readonly vocabulary: Pick<VocabularyReader, 'read'>;
  readonly clock: Clock;
  /** Undefined if no language model is configured; then the record does not mention a missing one. */
  readonly model: ModelPlanner | undefined;
}

/**
 * Returns a planner that uses the language model's proposal, or else the rules, with the vocabulary that the caller may see. It
 * records who made the plan and, if the rules did, why not the model.
 */
export function questionPlanner({ vocabulary, clock, model }: QuestionPlannerDependencies): Planner {
  return async (question, caller, run) => {
    const started = performance.now();
    const known = await vocabulary.read(caller, vocabularyRequestOf(question), run.demand);
    const now = run.now ?? clock.now();
    const { utcOffset } = run;
    const proposed = await model?.propose({ question, known, now, caller, run });
    const plan = proposed?.plan ?? planOf(question, known, { now, utcOffset });
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

/** What each memory, in order, mentions by identifiers that the caller's tenant knows. */
export async function findMentions(
  vocabulary: VocabularyReader,
  caller: TenantContext,
  memories: readonly MemoryView[],
  demand: Wait = {},
): Promise<FieldValuePair[][]> {
  const keys = [...new Set(memories.flatMap(({ content }) => namesIn(content)))];
  if (keys.length === 0) return memories.map(() => []);
  const known = await vocabulary.read(caller, { keys, kinds: [] }, demand);
  return memories.map((memory) => mentionsIn(memory.content, memory, known));
}

/** A filter for what any of the memories mention; undefined if they mention nothing. */
export async function mentionedBy(
  vocabulary: VocabularyReader,
  caller: TenantContext,
  memories: readonly MemoryView[],
  demand: Wait = {},
): Promise<Filter | undefined> {
  return mentionsFilter((await findMentions(vocabulary, caller, memories, demand)).flat());
}
