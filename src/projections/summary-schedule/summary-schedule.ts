import type { MemoryEvent } from '../../domain/memory/events.ts';
import { memoryStream, summarySettingsStream } from '../../domain/streams.ts';
import type { SummaryEvent, SummaryPolicyEvent } from '../../domain/summaries/events.ts';
import {
  afterChange,
  afterGeneration,
  afterInvalidation,
  dueOf,
  measured,
  untouched,
  type ScheduleState,
} from '../../domain/summaries/schedule.ts';
import { settingsByLayer, type SettingsByLayer } from '../../domain/summaries/settings.ts';
import { summaryIdOf, summaryScopeOf, type SummaryScope } from '../../domain/summaries/summary-scope.ts';
import type { EventStore, LoadedEvent } from '../../ports/event-store.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import {
  scheduleEvents,
  scheduleRow,
  storedRow,
  summarySchedule,
  type ScheduledScope,
  type ScheduleKey,
  type ScheduleRow,
} from '../../read-models/summary-schedule.ts';
import type { Tables } from '../../read-models/table.ts';
import { declaredBy, type Projection } from '../projection.ts';
import { findRows, upsert } from '../write.ts';

type Followed = LoadedEvent<MemoryEvent | SummaryEvent | SummaryPolicyEvent>;

export interface ScheduleServices {
  readonly store: EventStore;
  readonly vault: KeyVault;
  /** However many changes a scope has, its summaries are made once in this time. */
  readonly windowMs: number;
}

/** Reads that may wait for each other in the log at once. */
const readsAtOnce = 8;

/** Counts the changes of each scope since its summaries were made. Events of the same scope are of many streams. */
export function summaryScheduleProjection(
  services: ScheduleServices,
): Projection<readonly (ScheduledScope | undefined)[]> {
  return {
    name: summarySchedule.name,
    version: 1,
    ordered: true,
    handles: scheduleEvents,
    ...declaredBy(summarySchedule),
    prepare: (events) => scopesOf(services, events as readonly Followed[]),
    async plan(events, executor, tables, scopes) {
      const rows = await rowsAfter(services, events as readonly Followed[], scopes, executor, tables);
      return upsert(tables, summarySchedule, rows.map(storedRow));
    },
    holds: { nothing: 'counts of changes by scope' },
  };
}

/** The rows of the schedule that `events` change, as they are after them. */
async function rowsAfter(
  { store, windowMs }: ScheduleServices,
  events: readonly Followed[],
  scopes: readonly (ScheduledScope | undefined)[],
  executor: SqlExecutor,
  tables: Tables,
): Promise<ScheduleRow[]> {
  const settings = new SettingsHistory(store);
  const known = scopes.filter((scope) => scope !== undefined);
  const found: Readonly<Record<string, unknown>>[] = await findRows(executor, tables, summarySchedule, known);
  for (const { event, metadata } of events)
    if (event.type === 'SummaryConfigured')
      found.push(
        ...(await executor.query(
          `select * from ${tables(summarySchedule.name)} where tenant = $1 and layer = $2`,
          [metadata.tenant, event.data.layer],
        )),
      );
  const rows = new Map(found.map(scheduleRow).map((row) => [keyOf(row), row]));
  const touched = new Set<string>();
  const update = async (
    { tenant, summary, layer, scope }: ScheduledScope,
    { id, time, position }: Followed,
    next: (state: ScheduleState) => ScheduleState,
  ): Promise<void> => {
    const own = (await settings.at(tenant, position))[layer];
    const key = keyOf({ tenant, summary });
    const state = measured(next(rows.get(key)?.state ?? untouched), own, time);
    rows.set(key, { tenant, summary, layer, scope, state, due: dueOf(state, own, windowMs), cause: id });
    touched.add(key);
  };
  for (const [index, loaded] of events.entries()) {
    const { event, time, position, metadata } = loaded;
    if (event.type === 'SummaryConfigured') {
      for (const row of rows.values())
        if (row.tenant === metadata.tenant && row.layer === event.data.layer)
          await update(row, loaded, (state) => state);
      continue;
    }
    const scope = scopes[index];
    if (!scope) continue;
    if (event.type === 'SummaryGenerated') {
      const { readPosition } = event.data;
      await update(scope, loaded, (state) => afterGeneration(state, time, readPosition));
    } else if (event.type === 'SummaryInvalidated')
      await update(scope, loaded, (state) => afterInvalidation(state, time));
    else await update(scope, loaded, (state) => afterChange(state, time, position));
  }
  return [...touched].map((key) => rows.get(key)!);
}

const keyOf = ({ tenant, summary }: ScheduleKey): string => `${tenant}/${summary}`;

/** The settings of tenants as they were at the position of an event. */
class SettingsHistory {
  readonly #store: EventStore;
  readonly #events = new Map<string, Promise<readonly LoadedEvent<SummaryPolicyEvent>[]>>();
  readonly #latest = new Map<string, { readonly count: number; readonly settings: SettingsByLayer }>();

  constructor(store: EventStore) {
    this.#store = store;
  }

  async at(tenant: string, position: number): Promise<SettingsByLayer> {
    const loading =
      this.#events.get(tenant) ?? this.#store.load<SummaryPolicyEvent>(summarySettingsStream(tenant));
    this.#events.set(tenant, loading);
    const until = (await loading).filter((event) => event.position <= position);
    const known = this.#latest.get(tenant);
    if (known?.count === until.length) return known.settings;
    const settings = settingsByLayer(until.map(({ event }) => event.data));
    this.#latest.set(tenant, { count: until.length, settings });
    return settings;
  }
}

/** The scope of each event; undefined for events of no scope. */
async function scopesOf(
  { store, vault }: ScheduleServices,
  events: readonly Followed[],
): Promise<(ScheduledScope | undefined)[]> {
  const places = new MemoryPlaces(store, events);
  const scopes: (ScheduledScope | undefined)[] = [];
  for (let from = 0; from < events.length; from += readsAtOnce)
    scopes.push(
      ...(await Promise.all(
        events.slice(from, from + readsAtOnce).map(async (loaded) => {
          const { tenant } = loaded.metadata;
          const place = await placeOf(loaded, places);
          if (!place) return undefined;
          const { layer, scope } = place;
          return { tenant, layer, scope, summary: summaryIdOf(vault, tenant, place) };
        }),
      )),
    );
  return scopes;
}

async function placeOf(
  { event, metadata }: Followed,
  places: MemoryPlaces,
): Promise<SummaryScope | undefined> {
  switch (event.type) {
    case 'SummaryConfigured':
    case 'SummaryRequested':
      return undefined;
    case 'SummaryGenerated':
      // Variants are made when contexts need them.
      return event.data.person ? undefined : event.data;
    case 'SummaryInvalidated':
      return event.data;
    default:
      return places.of(metadata.tenant, event.data.memoryId);
  }
}

/** The scopes of memories. Only the first event of a memory has its scope, so it is read from the log unless it is among `events`. */
class MemoryPlaces {
  readonly #store: EventStore;
  readonly #known = new Map<string, Promise<SummaryScope | undefined>>();

  constructor(store: EventStore, events: readonly Followed[]) {
    this.#store = store;
    for (const { event, metadata } of events)
      if (event.type === 'MemoryStored')
        this.#known.set(
          `${metadata.tenant}/${event.data.memoryId}`,
          Promise.resolve(summaryScopeOf(event.data)),
        );
  }

  of(tenant: string, memoryId: string): Promise<SummaryScope | undefined> {
    const key = `${tenant}/${memoryId}`;
    const known = this.#known.get(key) ?? this.#read(tenant, memoryId);
    this.#known.set(key, known);
    return known;
  }

  async #read(tenant: string, memoryId: string): Promise<SummaryScope | undefined> {
    const first = (await this.#store.loadOne(memoryStream(tenant, memoryId), 0, { routingOnly: true }))
      ?.event;
    return first?.type === 'MemoryStored' ? summaryScopeOf(first.data) : undefined;
  }
}
