import { causedBy, type CommandContext, type CommandServices } from '../commands/context.ts';
import { readSummarySettings, type SettingsByLayer } from '../commands/summaries/configure-summaries.ts';
import { invalidateSummary } from '../commands/summaries/invalidate-summary.ts';
import { summaryIdOf } from '../commands/summaries/summary-stream.ts';
import type { MemoryEvent } from '../domain/memory/events.ts';
import { memoryStream } from '../domain/streams.ts';
import type { SummaryEvent, SummaryPolicyEvent } from '../domain/summaries/events.ts';
import {
  afterChange,
  afterGeneration,
  afterInvalidation,
  dueOf,
  measured,
  untouched,
  type ScheduleState,
} from '../domain/summaries/schedule.ts';
import { summaryScopeOf, type SummaryScope } from '../domain/summaries/summary-scope.ts';
import type { EventStore, LoadedEvent } from '../ports/event-store.ts';
import type { Reactor } from '../follow/reactor.ts';
import type { ScheduledScope, ScheduleRow, SummaryScheduleTable } from './summary-schedule-table.ts';

type Followed = LoadedEvent<MemoryEvent | SummaryEvent | SummaryPolicyEvent>;

export interface ScheduleParts {
  readonly services: CommandServices;
  readonly table: SummaryScheduleTable;
  /** However many changes a scope has, its summaries are made once in this time. */
  readonly windowMs: number;
}

/** Reads that may wait for each other in the log at once. */
const readsAtOnce = 8;

/**
 * Keeps the schedule of summaries: counts the changes of each scope, and records at once that a memory which its summaries quote was
 * deleted or replaced.
 */
export function summaryScheduleReactor(parts: ScheduleParts, context: CommandContext): Reactor {
  return {
    name: 'summary-schedule',
    handles: [
      'MemoryStored',
      'MemoryUpdated',
      'MemoryDeleted',
      'MemoryRestored',
      'MemoryErased',
      'SummaryGenerated',
      'SummaryInvalidated',
      'SummaryConfigured',
    ],
    routingOnly: true,
    // A change is due two seconds later at the earliest.
    lingerMs: 500,
    async handle(events) {
      const rows = await rowsAfter(parts, context, events as readonly Followed[]);
      return (tx) => parts.table.write(tx, rows);
    },
  };
}

/** The rows of the schedule that `events` change, as they are after them. */
async function rowsAfter(
  { services, table, windowMs }: ScheduleParts,
  context: CommandContext,
  events: readonly Followed[],
): Promise<ScheduleRow[]> {
  const settings = await settingsOf(services, events);
  const scopes = await scopesOf(services, events);
  const known = [...(await table.ofScopes(scopes.filter((scope) => scope !== undefined)))];
  for (const { event, metadata } of events)
    if (event.type === 'SummaryConfigured')
      known.push(...(await table.ofLayer(metadata.tenant, event.data.layer)));
  const rows = new Map(known.map((row) => [keyOf(row), row]));
  const touched = new Set<string>();
  const update = (scope: ScheduledScope, loaded: Followed, next: (state: ScheduleState) => ScheduleState) => {
    const own = settings.get(scope.tenant)![scope.layer];
    const before = rows.get(keyOf(scope));
    const state = measured(next(before?.state ?? untouched), own, loaded.time);
    const { tenant, summary, layer, scope: identifiers } = scope;
    const place = { tenant, summary, layer, scope: identifiers };
    rows.set(keyOf(scope), { ...place, state, due: dueOf(state, own, windowMs), cause: loaded.id });
    touched.add(keyOf(scope));
  };
  for (const [index, loaded] of events.entries()) {
    const { event, time, position, metadata } = loaded;
    if (event.type === 'SummaryConfigured') {
      for (const row of rows.values())
        if (row.tenant === metadata.tenant && row.layer === event.data.layer)
          update(row, loaded, (state) => state);
      continue;
    }
    const scope = scopes[index];
    if (!scope) continue;
    if (event.type === 'SummaryGenerated')
      update(scope, loaded, (state) => afterGeneration(state, time, event.data.readPosition));
    else if (event.type === 'SummaryInvalidated')
      update(scope, loaded, (state) => afterInvalidation(state, time));
    else if (event.type !== 'SummaryRequested') {
      if (rows.get(keyOf(scope))?.state.generatedAt) await invalidate(services, context, scope, loaded);
      update(scope, loaded, (state) => afterChange(state, time, position));
    }
  }
  return [...touched].map((key) => rows.get(key)!);
}

const keyOf = ({ tenant, summary }: Pick<ScheduledScope, 'tenant' | 'summary'>): string =>
  `${tenant}/${summary}`;

async function invalidate(
  services: CommandServices,
  context: CommandContext,
  scope: SummaryScope,
  loaded: Followed,
): Promise<void> {
  const { event, position } = loaded;
  const isReplaced = event.type === 'MemoryUpdated' && event.data.contentLength !== undefined;
  if (!isReplaced && event.type !== 'MemoryDeleted') return;
  const { memoryId } = event.data;
  const reason = isReplaced ? ('replaced' as const) : ('deleted' as const);
  const { layer, scope: identifiers } = scope;
  await invalidateSummary(
    services,
    causedBy(context, loaded),
    { layer, scope: identifiers },
    { memoryId, reason, position },
  );
}

async function settingsOf(
  { store }: CommandServices,
  events: readonly Followed[],
): Promise<ReadonlyMap<string, SettingsByLayer>> {
  const tenants = new Set(events.map(({ metadata }) => metadata.tenant));
  const all = new Map<string, SettingsByLayer>();
  for (const tenant of tenants) all.set(tenant, await readSummarySettings(store, tenant));
  return all;
}

/** The scope of each event; undefined for events of no scope. */
async function scopesOf(
  { store, vault }: CommandServices,
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
    const first = (await this.#store.loadOne(memoryStream(tenant, memoryId), 0))?.event;
    return first?.type === 'MemoryStored' ? summaryScopeOf(first.data) : undefined;
  }
}
