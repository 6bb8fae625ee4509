import type { LinkEvent } from '../../domain/links/links.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import { Table, type Draft, type Row, type Tables } from '../../read-models/table.ts';
import { declaredBy, type Projection } from '../projection.ts';
import { insertRows, statement, together, type Write } from '../write.ts';

const linkRows = new Table('links', {
  columns: {
    tenant: 'text',
    source: 'uuid',
    target: 'uuid',
    type: 'text',
    from_position: 'bigint',
    to_position: 'bigint?',
    confidence: 'double precision',
  },
  key: ['tenant', 'source', 'target', 'type', 'from_position'],
  indexes: ['(tenant, target)'],
});
const endings = linkRows.pick('tenant', 'source', 'target', 'type', 'to_position');

/** A link with one confidence. */
type LinkRow = Draft<Row<typeof linkRows>>;

/**
 * Typed links between memories, found from both ends. Each change of confidence is a row, valid in [from_position, to_position), so that a
 * search as of a position finds the links at that position.
 */
export const links: Projection = {
  name: 'links',
  version: 2,
  handles: ['MemoriesLinked', 'MemoriesUnlinked'],
  ...declaredBy(linkRows),
  plan: (events, _, tables) => Promise.resolve(plan(events as readonly LoadedEvent<LinkEvent>[], tables)),
  holds: { nothing: 'ids of memories and the type of their link' },
};

function plan(events: readonly LoadedEvent<LinkEvent>[], tables: Tables): Write {
  const added: LinkRow[] = [];
  /** For each link in the batch, the position at which its row from before the batch ends. */
  const ended = new Map<string, Omit<LinkRow, 'confidence' | 'from_position'>>();
  const open = new Map<string, LinkRow>();
  for (const { event, metadata, position } of events) {
    const { source, target, type } = event.data;
    const link = { tenant: metadata.tenant, source, target, type };
    const key = Object.values(link).join(' ');
    if (!ended.has(key)) ended.set(key, { ...link, to_position: position });
    const before = open.get(key);
    if (before) before.to_position = position;
    open.delete(key);
    if (event.type !== 'MemoriesLinked') continue;
    const row = {
      ...link,
      confidence: event.data.confidence,
      from_position: position,
      to_position: undefined,
    };
    added.push(row);
    open.set(key, row);
  }
  const end = statement(
    `update ${tables(linkRows.name)} l set to_position = e.to_position
     from ${endings.as('e')}
     where (l.tenant, l.source, l.target, l.type) = (e.tenant, e.source, e.target, e.type) and l.to_position is null`,
    endings.bind([...ended.values()]),
  );
  return together(end, insertRows(tables, linkRows, added));
}
