import type { DuplicateEvent } from '../../domain/duplicates/events.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import { Table, type Tables } from '../../read-models/table.ts';
import { declaredBy, type Projection } from '../projection.ts';
import { insert, removeRows, statement, together, upsert, type Write } from '../write.ts';

const clusters = new Table('duplicates', {
  columns: { tenant: 'text', cluster_id: 'uuid', space: 'text', representative: 'uuid', resolution: 'text' },
  key: ['tenant', 'cluster_id'],
});
const members = new Table('duplicate_members', {
  columns: { tenant: 'text', cluster_id: 'uuid', memory_id: 'uuid', similarity: 'double precision' },
  key: ['tenant', 'cluster_id', 'memory_id'],
  indexes: ['(tenant, memory_id)'],
});

/** Clusters of memories that say the same, with their members. Whether a member is still there is looked up in `memories`. */
export const duplicates: Projection = {
  name: 'duplicates',
  version: 1,
  handles: ['DuplicateFound', 'DuplicateWithdrawn', 'DuplicatesResolved'],
  ...declaredBy(clusters, members),
  plan: (events, _, tables) =>
    Promise.resolve(
      together(...(events as readonly LoadedEvent<DuplicateEvent>[]).map((loaded) => write(loaded, tables))),
    ),
  holds: { nothing: 'ids of memories and how similar they are' },
};

function write({ event, metadata: { tenant } }: LoadedEvent<DuplicateEvent>, tables: Tables): Write {
  const cluster_id = event.data.clusterId;
  switch (event.type) {
    case 'DuplicateFound': {
      const { space, representative, memoryId, similarity } = event.data;
      const cluster = { tenant, cluster_id, space, representative, resolution: 'manual' };
      return together(
        insert(tables(clusters.name), clusters.rows, [cluster], 'on conflict do nothing'),
        insert(
          tables(members.name),
          members.rows,
          [{ tenant, cluster_id, memory_id: representative, similarity: 1 }],
          'on conflict do nothing',
        ),
        upsert(tables, members, [{ tenant, cluster_id, memory_id: memoryId, similarity }]),
      );
    }
    case 'DuplicateWithdrawn':
      return removeRows(tables, members, [{ tenant, cluster_id, memory_id: event.data.memoryId }]);
    case 'DuplicatesResolved': {
      const { resolution, representative } = event.data;
      return statement(
        `update ${tables(clusters.name)} set resolution = $3, representative = $4::uuid where tenant = $1 and cluster_id = $2::uuid`,
        [tenant, cluster_id, resolution, representative],
      );
    }
    default:
      return event satisfies never;
  }
}
