import type { AuditEvent } from '../../../packages/client/src/index.ts';
import { Counts, FirstItems, type Count, type Listing } from './counts.ts';
import { detailOf } from './event-detail.ts';
import { actionKinds, kindOf, type ActionKind } from './event-kinds.ts';
import { periodOf, periodsOf, unitOf, type PeriodUnit } from './periods.ts';
import type { Range } from './range.ts';
import { SpendingCounter, type Spending } from './spending-counter.ts';

/** Where an event is in the log. */
export interface EventPlace {
  readonly id: string;
  readonly type: string;
  readonly at: string;
  readonly position: string;
}

export interface ListedEvent extends EventPlace {
  /** With the user that an agent acted for. */
  readonly actor: string;
  readonly detail: string;
  /** Of `ErasureRequested`: the id of its receipt. */
  readonly erasureId?: string;
}

export interface ActorCounts {
  readonly actor: string;
  readonly events: number;
  readonly kinds: Readonly<Record<ActionKind, number>>;
}

/** Which types a list shows. */
const listedTypes = {
  learning: ['PolicyPromoted', 'PolicyRolledBack', 'PolicyCompared', 'ValuesCompared'],
  deletions: ['MemoryDeleted', 'DocumentDeleted'],
  erasures: ['ErasureRequested'],
  refusals: ['DocumentRefused', 'BudgetExhausted'],
  keys: ['TenantCreated', 'ApiKeyCreated', 'ApiKeyRevoked'],
  settings: [
    'BudgetConfigured',
    'KillSwitchSet',
    'RoutingConfigured',
    'LimitsConfigured',
    'ContentRoutingConfigured',
    'SummaryConfigured',
    'ExperienceConfigured',
    'TrustConfigured',
    'SpaceConfigured',
    'SpaceRemoved',
    'SpacesRestricted',
    'SourceConfigured',
    'SourceRemoved',
  ],
  operations: ['ProjectionSwitched', 'ParkedEventSkipped', 'FactsSwitched', 'LogRestored'],
  reviews: ['MemoryReviewed', 'DuplicatesResolved'],
} as const satisfies Record<string, readonly string[]>;

export type ListName = keyof typeof listedTypes;

/** The types of a list, for the command that lists all of them. */
export const typesOfList = (name: ListName): readonly string[] => listedTypes[name];

/** The field by whose values the events of a type are counted. */
const dividedBy: Readonly<Record<string, string>> = {
  MemoryDeleted: 'because',
  OutcomeObserved: 'kind',
  FeedbackGiven: 'kind',
  ReasoningTraceRecorded: 'outcome',
  MemoryReviewed: 'decision',
  DuplicatesResolved: 'resolution',
};

/** What happened in a range, as far as the audit says it. */
export interface RangeFigures {
  readonly events: number;
  readonly first?: EventPlace;
  readonly last?: EventPlace;
  readonly types: readonly Count[];
  readonly unit: PeriodUnit;
  readonly periods: readonly Count[];
  /** Of some types, how many had each value of a field. */
  readonly values: Readonly<Record<string, readonly Count[]>>;
  readonly quarantined: number;
  /** Searches that found nothing. */
  readonly emptySearches: number;
  readonly actors: readonly ActorCounts[];
  /** Events of further actors, who are not counted one by one. */
  readonly eventsOfOthers: number;
  readonly lists: Readonly<Record<ListName, Listing<ListedEvent>>>;
  readonly spending: readonly Spending[];
}

const maxListed = 50;
/** Bounds the memory that the figures of a long range take. */
const maxActors = 10_000;

const listOf = new Map<string, ListName>(
  Object.entries(listedTypes).flatMap(([name, types]) => types.map((type) => [type, name as ListName])),
);

/** Counts the events of a range one by one, in memory that does not grow with their number. */
export class RangeCounter {
  readonly #range: Range;
  readonly #unit: PeriodUnit;
  readonly #types = new Counts();
  readonly #periods = new Counts();
  readonly #values = new Map(Object.keys(dividedBy).map((type) => [type, new Counts()]));
  readonly #actors = new Map<string, Record<ActionKind, number>>();
  readonly #lists = Object.fromEntries(
    Object.keys(listedTypes).map((name) => [name, new FirstItems<ListedEvent>(maxListed)]),
  ) as Record<ListName, FirstItems<ListedEvent>>;
  readonly #spending = new SpendingCounter();
  #events = 0;
  #first: EventPlace | undefined;
  #last: EventPlace | undefined;
  #quarantined = 0;
  #emptySearches = 0;
  #eventsOfOthers = 0;

  constructor(range: Range) {
    this.#range = range;
    this.#unit = unitOf(range);
  }

  get events(): number {
    return this.#events;
  }

  add(event: AuditEvent): void {
    const { type, at, data } = event;
    this.#events++;
    this.#last = placeOf(event);
    this.#first ??= this.#last;
    this.#types.add(type);
    this.#periods.add(periodOf(at, this.#unit));
    this.#addToActor(event);
    const field = dividedBy[type];
    if (field !== undefined) this.#values.get(type)!.add(textOf(data[field]));
    const list = listOf.get(type);
    if (list !== undefined) this.#lists[list].add(() => listed(event));
    if (type === 'MemoryStored' && isQuarantined(data['trust'])) this.#quarantined++;
    if (type === 'SearchPerformed' && Array.isArray(data['results']) && data['results'].length === 0)
      this.#emptySearches++;
    if (type === 'CostIncurred') this.#spending.add(data, true);
    if (type === 'LanguageModelCalled') this.#spending.add(data, false);
  }

  figures(): RangeFigures {
    const periods = periodsOf(this.#range, this.#unit);
    return {
      events: this.#events,
      ...(this.#first && { first: this.#first }),
      ...(this.#last && { last: this.#last }),
      types: this.#types.sorted(),
      unit: this.#unit,
      periods: periods.map((name) => ({ name, count: this.#periods.get(name) })),
      values: Object.fromEntries([...this.#values].map(([type, counts]) => [type, counts.sorted()])),
      quarantined: this.#quarantined,
      emptySearches: this.#emptySearches,
      actors: [...this.#actors]
        .map(([actor, kinds]) => ({ actor, events: sumOf(kinds), kinds }))
        .toSorted((a, b) => b.events - a.events),
      eventsOfOthers: this.#eventsOfOthers,
      lists: this.#lists,
      spending: this.#spending.sorted(),
    };
  }

  #addToActor(event: AuditEvent): void {
    const actor = actorOf(event);
    let kinds = this.#actors.get(actor);
    if (!kinds) {
      if (this.#actors.size === maxActors) {
        this.#eventsOfOthers++;
        return;
      }
      kinds = Object.fromEntries(actionKinds.map((kind) => [kind, 0])) as Record<ActionKind, number>;
      this.#actors.set(actor, kinds);
    }
    kinds[kindOf(event.type)]++;
  }
}

const placeOf = ({ id, type, at, position }: AuditEvent): EventPlace => ({ id, type, at, position });

const actorOf = ({ actor, onBehalfOf }: AuditEvent): string =>
  onBehalfOf === undefined ? actor : `${actor} for ${onBehalfOf}`;

function listed(event: AuditEvent): ListedEvent {
  const { erasureId } = event.data;
  return {
    ...placeOf(event),
    actor: actorOf(event),
    detail: detailOf(event),
    ...(typeof erasureId === 'string' && { erasureId }),
  };
}

const sumOf = (kinds: Readonly<Record<ActionKind, number>>): number =>
  Object.values(kinds).reduce((sum, count) => sum + count, 0);

/** A value as the name that it is counted under; `by a caller` where an event has none. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : 'by a caller');

const isQuarantined = (trust: unknown): boolean =>
  (trust as { readonly state?: string } | undefined)?.state === 'quarantined';
