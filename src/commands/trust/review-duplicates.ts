import { invalid } from '../../domain/problems.ts';
import type { ReviewDecision } from '../../domain/trust/decisions.ts';
import { loadVisibleMemory, type MemoryResult } from '../change-memory.ts';
import type { CommandContext, CommandServices } from '../context.ts';
import { resolveDuplicates } from '../duplicates/resolve-duplicates.ts';

export interface ReviewOfDuplicates {
  readonly clusterId: string;
  readonly decision: ReviewDecision;
  /** The member that stays. */
  readonly other: string | undefined;
}

const resolutionOf = { merge: 'keep_representative', keep: 'keep_all', undo: 'manual' } as const;

/** Records what a reviewer decides about a cluster of duplicates; the answer is its representative. */
export async function reviewDuplicates(
  services: CommandServices,
  context: CommandContext,
  { clusterId, decision, other }: ReviewOfDuplicates,
): Promise<MemoryResult> {
  if (decision !== 'merge' && decision !== 'keep' && decision !== 'undo')
    throw invalid(
      'decision',
      'must be merge, keep or undo: memories that say the same are no question of trust',
    );
  const { cluster, position, replayed } = await resolveDuplicates(services, context, {
    clusterId,
    resolution: resolutionOf[decision],
    representative: decision === 'merge' ? other : undefined,
    asReviewer: true,
  });
  const { snapshot } = await loadVisibleMemory(services, context, cluster.representative);
  return { snapshot, position, replayed };
}
