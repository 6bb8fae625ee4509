import type { PatchSpace, Space, SpaceStats } from '@stratalog/client';
import { useAsk } from '../../app/use-ask.ts';
import { Trouble } from '../../ui/answer.tsx';
import { bytesText } from '../../ui/quantity.ts';

export interface Preview {
  readonly retention: SpaceStats['retention'] | undefined;
  /** Memories that the retention would delete. */
  readonly deletes: number;
  /** The server has not said yet what the retention would delete. */
  readonly isAwaited: boolean;
  readonly error: Error | null;
}

/** What a change of the retention would delete now. */
export function useRetentionPreview({ id, retentionDays }: Space, patch: PatchSpace): Preview {
  const days = patch.retentionDays;
  const isAsked = typeof days === 'number' && Number.isInteger(days) && days > 0 && days !== retentionDays;
  const stats = useAsk('spaces.stats', [id, { retentionDays: isAsked ? days : 1 }], {
    enabled: isAsked,
    keepsPrevious: false,
  });
  const retention = isAsked ? stats.answer?.retention : undefined;
  return {
    retention,
    deletes: retention?.memories ?? 0,
    isAwaited: isAsked && stats.isPending && !stats.error,
    error: isAsked ? stats.error : null,
  };
}

/** Says what the new retention would delete. */
export function RetentionPreview({ preview }: { readonly preview: Preview }) {
  const { retention, deletes, isAwaited, error } = preview;
  if (error) return <Trouble error={error} />;
  if (isAwaited)
    return (
      <p class="muted" role="status">
        Looking at what this retention would delete…
      </p>
    );
  if (!retention) return null;
  return (
    <p class={deletes > 0 ? 'as-of' : 'muted'} role="status">
      {deletes > 0
        ? `A retention of ${retention.days.toLocaleString()} days would delete ${deletes.toLocaleString()} memories now (${bytesText(retention.bytes)}). They can be restored for 30 days.`
        : `A retention of ${retention.days.toLocaleString()} days would delete nothing now.`}
    </p>
  );
}
