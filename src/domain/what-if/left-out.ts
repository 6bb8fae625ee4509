import { unrecordedTrust, type TrustSource } from '../trust/trust.ts';
import type { StratalogEvent } from '../events/registry.ts';

/** Which events are left out: those for which everything holds that is given. */
export interface Choice {
  /** Ids of events. */
  readonly events?: readonly string[] | undefined;
  /** Ids of memories: all their events. */
  readonly memories?: readonly string[] | undefined;
  /** Who caused the events, as the audit names actors. */
  readonly actor?: string | undefined;
  /** What the metadata of a memory call its `source`. */
  readonly source?: string | undefined;
  /** Memories that were trusted as texts of this source (`trust.source`). */
  readonly trust?: TrustSource | undefined;
  /** Whose feedback and outcomes. */
  readonly feedbackOf?: string | undefined;
  /** Positions, both inclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** An event as the log has it. */
interface Recorded {
  readonly id: string;
  readonly position: number;
  readonly event: StratalogEvent;
  readonly metadata: { readonly actor: string; readonly causationId?: string };
}

const opinions: ReadonlySet<StratalogEvent['type']> = new Set([
  'FeedbackGiven',
  'QuestionJudged',
  'OutcomeObserved',
]);

/**
 * Decides, event by event in the order of the log, what is left out: the chosen events, and those that would not have been recorded
 * without them. These are all events of a memory that would not have been stored, what the program did because of a left-out event, and
 * each summary that quotes such a memory, because nothing tells what the summary would have said without it.
 */
export class LeftOut {
  readonly #choice: Choice;
  readonly #events: ReadonlySet<string> | undefined;
  readonly #chosenMemories: ReadonlySet<string> | undefined;
  readonly #ids = new Set<string>();
  readonly #memories = new Set<string>();
  readonly #searches = new Set<string>();

  constructor(choice: Choice) {
    this.#choice = choice;
    this.#events = choice.events && new Set(choice.events);
    this.#chosenMemories = choice.memories && new Set(choice.memories);
  }

  /** Number of events so far. */
  get count(): number {
    return this.#ids.size;
  }

  /** The memories that were never stored. */
  get memories(): ReadonlySet<string> {
    return this.#memories;
  }

  /** The searches, by id without the signature, that were not made, or of whose outcome something was left out. */
  get searches(): ReadonlySet<string> {
    return this.#searches;
  }

  /** Whether an event is left out. Called once for each event, in the order of the log. */
  takes(recorded: Recorded): boolean {
    if (!this.#isChosen(recorded) && !this.#dependsOnOthers(recorded)) return false;
    const { id, event } = recorded;
    this.#ids.add(id);
    if (event.type === 'MemoryStored') this.#memories.add(event.data.memoryId);
    const { searchId } = event.data as { readonly searchId?: string };
    if (searchId !== undefined) this.#searches.add(searchId.split('.')[0]!);
    return true;
  }

  #isChosen({ id, position, event, metadata }: Recorded): boolean {
    const { actor, source, trust, feedbackOf, from = 0, to = Infinity } = this.#choice;
    if (position < from || position > to) return false;
    if (this.#events && !this.#events.has(id)) return false;
    if (this.#chosenMemories && !memoriesOf(event).some((memory) => this.#chosenMemories!.has(memory)))
      return false;
    if (actor !== undefined && metadata.actor !== actor) return false;
    if (feedbackOf !== undefined && !(opinions.has(event.type) && metadata.actor === feedbackOf))
      return false;
    if (trust !== undefined && trustOf(event) !== trust) return false;
    return source === undefined || sourceOf(event) === source;
  }

  #dependsOnOthers({ event, metadata: { causationId } }: Recorded): boolean {
    if (causationId !== undefined && this.#ids.has(causationId)) return true;
    if (this.#memories.size === 0) return false;
    if (event.type === 'SummaryGenerated')
      return quotedIn(event.data).some((memory) => this.#memories.has(memory));
    return memoriesOf(event).some((memory) => this.#memories.has(memory));
  }
}

/** The memories that an event is about: without them it would not have been recorded. */
function memoriesOf({ type, data }: StratalogEvent): readonly string[] {
  if (type === 'MemoriesLinked' || type === 'MemoriesUnlinked') return [data.source, data.target];
  const { memoryId } = data as { readonly memoryId?: string };
  return memoryId === undefined ? [] : [memoryId];
}

function sourceOf({ type, data }: StratalogEvent): unknown {
  // An erased memory has no metadata any more.
  return type === 'MemoryStored'
    ? (data.metadata as typeof data.metadata | undefined)?.['source']
    : undefined;
}

function trustOf({ type, data }: StratalogEvent): TrustSource | undefined {
  return type === 'MemoryStored' ? (data.trust ?? unrecordedTrust).source : undefined;
}

type Generated = Extract<StratalogEvent, { type: 'SummaryGenerated' }>['data'];

/** The memories that have left something in the texts of summaries. */
function quotedIn({ summaries, shown = [] }: Pick<Generated, 'summaries' | 'shown'>): readonly string[] {
  return [...shown, ...summaries.flatMap(({ sources }) => sources.map(({ id }) => id))];
}
