import { eventDefinitions } from '../../domain/events/registry.ts';
import type { Layer, Scope } from '../../domain/layers.ts';
import { MemoryStored, MemoryUpdated } from '../../domain/memory/events.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import { Table, type Row } from '../../read-models/table.ts';
import { scopeColumns, scopeRow } from '../scope-columns.ts';

const { layer: _, ...identifiers } = scopeColumns;

/**
 * The layers, scope and spaces that events name. `memory_id` is set where an event says where a memory is: the other events
 * of the memory are found by it.
 */
export const auditPlaces = new Table('audit_places', {
  columns: {
    tenant: 'text',
    position: 'bigint',
    memory_id: 'text?',
    layers: 'text[]',
    ...identifiers,
    spaces: 'text[]',
  },
  key: ['tenant', 'position'],
});

/** Fields by which events name places. */
interface Naming {
  readonly memoryId: string;
  readonly layer: Layer;
  readonly layers: readonly Layer[];
  readonly scope: Scope;
  readonly space: string;
  readonly spaces: readonly string[];
}

const placesMemory: ReadonlySet<string> = new Set([MemoryStored.type, MemoryUpdated.type]);

/** The row of an event; none if it names no place in the clear. */
export function placeOf(loaded: LoadedEvent): Row<typeof auditPlaces>[] {
  const { event, metadata, position } = loaded;
  const {
    memoryId,
    layer,
    layers = layer ? [layer] : [],
    scope = {},
    space,
    spaces,
  } = clearFields<Naming>(loaded);
  const named = spaces ?? (space === undefined ? [] : [space]);
  if (layers.length === 0 && named.length === 0 && Object.keys(scope).length === 0) return [];
  const { layer: __, ...ids } = scopeRow('company', scope);
  return [
    {
      tenant: metadata.tenant,
      position,
      memory_id: placesMemory.has(event.type) ? memoryId : undefined,
      layers: [...layers],
      ...ids,
      spaces: [...named],
    },
  ];
}

/** How an attempt or an answer ended, if the event says so. */
export function outcomeOf(loaded: LoadedEvent): string | undefined {
  const { outcome, kind } = clearFields<{ readonly outcome: unknown; readonly kind: string }>(loaded);
  if (loaded.event.type === 'OutcomeObserved') return kind;
  return typeof outcome === 'string' ? outcome : undefined;
}

/** The fields of an event that are stored unencrypted: no others may be kept in the clear by a read model that has no content. */
function clearFields<Fields>({ event }: LoadedEvent): Partial<Fields> {
  const clear = eventDefinitions.get(event.type)?.routing.shape ?? {};
  return Object.fromEntries(Object.entries(event.data).filter(([name]) => name in clear)) as Partial<Fields>;
}
