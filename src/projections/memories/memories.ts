import {
  evolve,
  hasValue,
  initialState,
  type LiveState,
  type MemoryState,
  type MemoryValue,
} from '../../domain/memory/memory.ts';
import { memoryEvents, type MemoryEvent } from '../../domain/memory/events.ts';
import { isWithheld } from '../../domain/trust/trust.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import { memoryKeys } from '../../read-models/recordset.ts';
import { Table, type Draft, type Row, type Tables } from '../../read-models/table.ts';
import { eachInSlices } from '../each-in-slices.ts';
import { ofMemory, rowsWith } from '../holding.ts';
import { declaredBy, type Projection } from '../projection.ts';
import { scopeColumnNames, scopeColumns, scopeRow } from '../scope-columns.ts';
import { insertRows, nothing, remove, statement, together, type Write } from '../write.ts';
import { postings, writePostings, type FiledChange, type FiledMemory } from './postings.ts';

const versions = new Table('memories', {
  columns: {
    tenant: 'text',
    memory_id: 'uuid',
    revision: 'integer',
    from_position: 'bigint',
    to_position: 'bigint?',
    from_time: 'timestamptz',
    to_time: 'timestamptz?',
    created_at: 'timestamptz',
    ...scopeColumns,
    state: 'text',
    retention_until: 'timestamptz?',
    external_id: 'text?',
    spaces: 'text[]',
    tags: 'text[]',
    occurred_at: 'timestamptz?',
    value: 'jsonb',
  },
  key: ['tenant', 'memory_id', 'revision'],
  uniqueIndexes: ['(tenant, memory_id) where to_position is null'],
  indexes: ['(tenant, external_id) where to_position is null and external_id is not null'],
  undigested: [
    ...scopeColumnNames,
    'from_time',
    'to_time',
    'created_at',
    'retention_until',
    'external_id',
    'spaces',
    'tags',
    'occurred_at',
  ],
});
const endings = versions.pick('tenant', 'memory_id', 'to_position', 'to_time');

type VersionRow = Draft<Row<typeof versions>>;

/**
 * Every version of every memory, each valid in [from_position, to_position), for lists and as-of reads; and for memories that are active
 * now the values by which they are looked up.
 */
export const memories: Projection = {
  name: 'memories',
  version: 4,
  handles: memoryEvents,
  ...declaredBy(versions, postings),
  plan: (events, executor, tables) => plan(events as readonly LoadedEvent<MemoryEvent>[], executor, tables),
  holds: (tables) => rowsWith([tables(versions.name), ofMemory], [tables(postings.name), ofMemory]),
};

interface OpenRow extends Record<string, unknown> {
  tenant: string;
  memory_id: string;
  created_at: Date;
  state: LiveState['status'] | 'withheld';
  retention_until: Date | null;
  value: Omit<MemoryValue, 'id'>;
}

/** The state of one memory while the batch goes through its events. */
interface Progress {
  /** State before the batch. */
  readonly before: MemoryState;
  state: MemoryState;
  createdAt: Date;
  /** The latest version, if this batch added it. The next event ends it. */
  open?: VersionRow;
}

async function plan(
  facts: readonly LoadedEvent<MemoryEvent>[],
  executor: SqlExecutor,
  tables: Tables,
): Promise<Write> {
  const progress = await loadProgress(facts, executor, tables);
  const added: VersionRow[] = [];
  const ended = new Map<string, Record<string, unknown>>();
  const erased = new Map<string, { tenant: string; memory_id: string }>();
  await eachInSlices(facts, (fact) => {
    const { tenant } = fact.metadata;
    const { memoryId } = fact.event.data;
    const key = `${tenant}/${memoryId}`;
    const now = progress.get(key) ?? { before: initialState, state: initialState, createdAt: fact.time };
    const { before, createdAt } = now;
    const state: MemoryState = fact.erased ? { status: 'erased' } : evolve(now.state, fact.event);
    if (now.open) Object.assign(now.open, { to_position: fact.position, to_time: fact.time });
    else if (progress.has(key)) {
      ended.set(key, { tenant, memory_id: memoryId, to_position: fact.position, to_time: fact.time });
    }
    if (hasValue(state)) {
      const open = versionRow(fact, state, createdAt);
      added.push(open);
      progress.set(key, { before, state, createdAt, open });
    } else {
      progress.set(key, { before, state, createdAt });
      erased.set(key, { tenant, memory_id: memoryId });
    }
  });
  const kept = added.filter((row) => !erased.has(`${row.tenant}/${row.memory_id}`));
  return together(
    endVersions([...ended.values()], tables),
    insertRows(tables, versions, kept),
    remove(tables(versions.name), memoryKeys, [...erased.values()]),
    await writePostings([...progress].map(filedChange), tables),
  );
}

function filedChange([key, { before, state, createdAt }]: readonly [string, Progress]): FiledChange {
  const [tenant, memoryId] = key.split('/') as [string, string];
  const filed = (at: MemoryState): FiledMemory => {
    if (at.status !== 'active') return undefined;
    if (!isWithheld(at.value)) return { ...at.value, createdAt };
    return at.value.trust?.state === 'quarantined' ? 'quarantined' : undefined;
  };
  return { tenant, memoryId, before: filed(before), after: filed(state) };
}

async function loadProgress(
  facts: readonly LoadedEvent<MemoryEvent>[],
  executor: SqlExecutor,
  tables: Tables,
): Promise<Map<string, Progress>> {
  const wanted = new Map<string, { tenant: string; memory_id: string }>();
  for (const { event, metadata } of facts) {
    if (event.type === 'MemoryStored') continue;
    const { memoryId } = event.data;
    wanted.set(`${metadata.tenant}/${memoryId}`, { tenant: metadata.tenant, memory_id: memoryId });
  }
  const progress = new Map<string, Progress>();
  if (wanted.size === 0) return progress;
  const rows = await executor.query<OpenRow>(
    `select m.tenant, m.memory_id, m.created_at, m.state, m.retention_until, m.value
     from ${memoryKeys.as('wanted')}
     join ${tables(versions.name)} m on m.tenant = wanted.tenant and m.memory_id = wanted.memory_id and m.to_position is null`,
    memoryKeys.bind([...wanted.values()]),
  );
  for (const row of rows) {
    const value: MemoryValue = { id: row.memory_id, ...row.value };
    const state: MemoryState = row.retention_until
      ? { status: 'deleted', value, retentionUntil: row.retention_until.toISOString() }
      : { status: row.state === 'archived' ? 'archived' : 'active', value };
    progress.set(`${row.tenant}/${row.memory_id}`, { before: state, state, createdAt: row.created_at });
  }
  return progress;
}

function versionRow(fact: LoadedEvent<MemoryEvent>, state: LiveState, createdAt: Date): VersionRow {
  const { id, ...value } = state.value;
  return {
    tenant: fact.metadata.tenant,
    memory_id: id,
    revision: fact.revision,
    from_position: fact.position,
    to_position: undefined,
    from_time: fact.time,
    to_time: undefined,
    created_at: createdAt,
    ...scopeRow(value.layer, value.scope),
    state: isWithheld(state.value) ? 'withheld' : state.status,
    retention_until: state.status === 'deleted' ? new Date(state.retentionUntil) : undefined,
    external_id: value.externalId,
    spaces: value.spaces,
    tags: value.tags,
    occurred_at: value.occurredAt === undefined ? undefined : new Date(value.occurredAt),
    value,
  };
}

function endVersions(ended: readonly object[], tables: Tables): Write {
  if (ended.length === 0) return nothing;
  return statement(
    `update ${tables(versions.name)} m set to_position = ended.to_position, to_time = ended.to_time
     from ${endings.as('ended')}
     where m.tenant = ended.tenant and m.memory_id = ended.memory_id and m.to_position is null`,
    endings.bind(ended),
  );
}
