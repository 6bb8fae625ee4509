import type { LinkEvent } from '../../domain/links/links.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import { digestOf } from '../../read-models/digest.ts';
import type { Projection } from '../projection.ts';
import { protect, type Tables } from '../../read-models/table.ts';
import { Recordset } from '../../read-models/recordset.ts';
import { insert, statement, together, type Write } from '../write.ts';

/**
 * Typed links between memories, found from both ends. Each change of confidence is a row, valid in [from_position, to_position), so that a
 * search as of a position finds the links at that position.
 */
export const links: Projection = {
  name: 'links',
  version: 2,
  handles: ['MemoriesLinked', 'MemoriesUnlinked'],
  tables: ['links'],
  create: (tables) => [
    `create table ${tables('links')} (
      tenant text not null,
      source uuid not null,
      target uuid not null,
      type text not null,
      confidence double precision not null,
      from_position bigint not null,
      to_position bigint,
      primary key (tenant, source, target, type, from_position)
    )`,
    `create index on ${tables('links')} (tenant, target)`,
    ...protect(tables('links')),
  ],
  plan,
  holds: { nothing: 'ids of memories and the type of their link' },
  digest: (tables) => digestOf(tables('links'), columns),
};

const linkColumns = { tenant: 'text', source: 'uuid', target: 'uuid', type: 'text' } as const;
const endings = new Recordset({ ...linkColumns, to_position: 'bigint' });
const columns = {
  ...linkColumns,
  from_position: 'bigint',
  to_position: 'bigint',
  confidence: 'double precision',
} as const;
const written = new Recordset(columns);

/** A link with one confidence: the columns of the table. */
interface LinkRow {
  readonly tenant: string;
  readonly source: string;
  readonly target: string;
  readonly type: string;
  readonly confidence: number;
  readonly from_position: number;
  to_position?: number;
}

async function plan(events: readonly LoadedEvent[], _: SqlExecutor, tables: Tables): Promise<Write> {
  const added: LinkRow[] = [];
  /** For each link in the batch, the position at which its row from before the batch ends. */
  const ended = new Map<string, Omit<LinkRow, 'confidence' | 'from_position'>>();
  const open = new Map<string, LinkRow>();
  for (const { event, metadata, position } of events as readonly LoadedEvent<LinkEvent>[]) {
    const { source, target, type } = event.data;
    const link = { tenant: metadata.tenant, source, target, type };
    const key = Object.values(link).join(' ');
    if (!ended.has(key)) ended.set(key, { ...link, to_position: position });
    const before = open.get(key);
    if (before) before.to_position = position;
    open.delete(key);
    if (event.type !== 'MemoriesLinked') continue;
    const row = { ...link, confidence: event.data.confidence, from_position: position };
    added.push(row);
    open.set(key, row);
  }
  const end = statement(
    `update ${tables('links')} l set to_position = e.to_position
     from ${endings.as('e')}
     where (l.tenant, l.source, l.target, l.type) = (e.tenant, e.source, e.target, e.type) and l.to_position is null`,
    endings.bind([...ended.values()]),
  );
  return together(end, insert(tables('links'), written, added));
}
