import { readClusters } from '../duplicates/list-duplicates.ts';
import { memoryOf } from '../memory-row.ts';
import type { ReadModels } from '../read-models.ts';
import { readVisibleMemories } from '../validate.ts';
import type { ReviewItem, ReviewSource } from './review-source.ts';

/** Memories of a space that say the same, until somebody decides which of them stay. */
export function duplicated(models: ReadModels): ReviewSource {
  return {
    kind: 'duplicate',
    read({ caller, spaces, limit, wait, after }) {
      const projections = ['duplicates', 'memories', 'usage', 'feedback', 'values'];
      return models.read({ projections, ...wait }, async (view) => {
        const clusters = await readClusters(models, view, caller, {
          state: 'open',
          spaces: spaces === 'all' ? undefined : spaces,
          after: after?.split('.')[1],
          limit,
        });
        const ids = clusters.flatMap(({ members }) => members.map(({ id }) => id));
        const found = ids.length === 0 ? [] : await readVisibleMemories(models, view, caller, ids);
        const byId = new Map(found.map((row) => [row.memory_id, memoryOf(row)]));
        const items = clusters.flatMap(({ id, representative, members }): ReviewItem[] => {
          const memory = byId.get(representative);
          const others = members.flatMap((member) =>
            member.id === representative ? [] : (byId.get(member.id) ?? []),
          );
          return memory ? [{ id: `duplicate.${id}`, kind: 'duplicate', memory, others }] : [];
        });
        return { items, position: view.position };
      });
    },
  };
}
