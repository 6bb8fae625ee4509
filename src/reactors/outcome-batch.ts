import { inTenant, type CommandContext, type CommandServices } from '../commands/context.ts';
import { observeSignal } from '../commands/outcomes/observe-signal.ts';
import { recordUse } from '../commands/outcomes/record-use.ts';
import { signalsOf } from '../commands/outcomes/search-signals.ts';
import { closingSignal, newFeedback, outcomeOf } from '../domain/learning/outcome.ts';
import { systemTenant } from '../domain/access/context.ts';
import type { OutcomeEvent, SessionEvent } from '../domain/learning/events.ts';
import type { PolicyUpdate } from '../domain/learning/policy-events.ts';
import { refinedWithinMs } from '../domain/learning/refinement.ts';
import { answeredMemories, isRecorded } from '../domain/retrieval/answered-memories.ts';
import { searchOf, timeOfSearch } from '../domain/retrieval/search-id.ts';
import type { RetrievalEvent } from '../domain/retrieval/events.ts';
import { retrievalStream } from '../domain/streams.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import type { SqlExecutor } from '../ports/sql.ts';
import type { DecisionRow, SearchKey } from './decision-row.ts';
import { DecisionRows } from './decision-rows.ts';
import type { DecisionTable, SessionEnd } from './decision-table.ts';
import { SearchTexts } from './search-texts.ts';

export type Followed = LoadedEvent<RetrievalEvent | OutcomeEvent | SessionEvent | PolicyUpdate>;
type Of<Type extends Followed['event']['type']> = Followed & {
  readonly event: Extract<Followed['event'], { type: Type }>;
};

export interface OutcomeParts {
  readonly services: CommandServices;
  readonly table: DecisionTable;
  /** A search without a signal is closed after this time. */
  readonly windowMs: number;
  /** Milliseconds since 1970 that never jump while the process runs. */
  readonly now: () => number;
}

/** How many earlier searches of a session a question is compared with. */
const compared = 3;

/** The rows of `DecisionTable` that some events of the log change. */
export class OutcomeBatch {
  readonly #parts: OutcomeParts;
  readonly #context: CommandContext;
  readonly #texts: SearchTexts;
  readonly #rows = new DecisionRows();
  readonly #ends = new Map<string, SessionEnd>();
  readonly #newEnds: SessionEnd[] = [];
  readonly #consumed: LoadedEvent<PolicyUpdate>[] = [];
  readonly #reopened: DecisionRow[] = [];
  readonly #posters = new Map<string, { tenant: string; principal: string }>();

  constructor(parts: OutcomeParts, context: CommandContext) {
    this.#parts = parts;
    this.#context = context;
    this.#texts = new SearchTexts(parts.services.store);
  }

  /** Reads the rows that the events are about, and those of earlier searches that they may refine. */
  async load(events: readonly Followed[]): Promise<void> {
    const { table } = this.#parts;
    const searches = new Map<string, SearchKey>();
    const sessions = new Map<string, { tenant: string; session: string }>();
    let since = Infinity;
    for (const { event, metadata, time } of events) {
      const { tenant } = metadata;
      if ('searchId' in event.data && event.data.searchId !== undefined) {
        const search = searchOf(event.data.searchId);
        searches.set(`${tenant}/${search}`, { tenant, search });
      }
      if (event.type !== 'SearchPerformed' || event.data.session === undefined) continue;
      const { session, searchId } = event.data;
      sessions.set(`${tenant}/${session}`, { tenant, session });
      since = Math.min(since, askedAt(searchId, time).getTime() - refinedWithinMs);
    }
    const named = [...sessions.values()];
    this.#rows.add(await table.openIn(named, new Date(since), compared));
    this.#rows.add(await table.ofSearches([...searches.values()]));
    for (const end of await table.endsOf(named)) this.#ends.set(`${end.tenant}/${end.session}`, end);
  }

  /** Handles the next event, in the order of the log. */
  async take(loaded: Followed): Promise<void> {
    const { event } = loaded;
    switch (event.type) {
      case 'SearchPerformed':
        return this.#performed(loaded as Of<'SearchPerformed'>);
      case 'ContextAssembled':
        return this.#assembled(loaded as Of<'ContextAssembled'>);
      case 'FeedbackGiven':
        return this.#judged(loaded as Of<'FeedbackGiven'>);
      case 'OutcomeObserved':
        return this.#observed(loaded as Of<'OutcomeObserved'>);
      case 'SessionEnded':
        this.#newEnds.push(endOf(loaded as Of<'SessionEnded'>));
        return;
      case 'PolicyUpdated':
        this.#consumed.push(loaded as Of<'PolicyUpdated'>);
        return;
      default:
    }
  }

  /** Writes what all events have changed. */
  effects = async (tx: SqlExecutor): Promise<void> => {
    const { table } = this.#parts;
    await table.reopen(tx, this.#reopened);
    await table.write(tx, this.#rows.written);
    await table.remove(tx, this.#rows.removed);
    await table.endSessions(tx, this.#newEnds);
    await table.addPosters(tx, [...this.#posters.values()]);
    for (const { event, metadata } of this.#consumed)
      await this.#consume(tx, metadata.tenant, event.data.consumed);
  };

  /** The policy of a tenant, or the global base, has learned from these decisions. */
  #consume(tx: SqlExecutor, tenant: string, consumed: PolicyUpdate['data']['consumed']): Promise<void> {
    const { table } = this.#parts;
    const keys = consumed.map(({ searchId, tenant: owner = tenant }) => ({
      tenant: owner,
      search: searchId,
    }));
    return tenant === systemTenant ? table.consumeForBase(tx, keys) : table.consume(tx, keys);
  }

  async #performed({ id, event, metadata, time, position }: Of<'SearchPerformed'>): Promise<void> {
    const { services, windowMs, now } = this.#parts;
    const { tenant } = metadata;
    const { searchId, session, durationMs, decision, tokens = 0 } = event.data;
    const search = searchOf(searchId);
    const early = this.#rows.get({ tenant, search });
    if (early && early.position > 0) return;
    const earlySignals = early && (await signalsOf(services.store, tenant, search));
    if (earlySignals) await recordUse(services, this.#contextOf(tenant, id), search, earlySignals);
    const choice = decision?.choice && decision.choice.arms.length > 1 ? decision.choice : undefined;
    if (!choice && session === undefined) {
      if (early) this.#rows.remove(early);
      return;
    }
    const asked = askedAt(searchId, time);
    const user = metadata.onBehalfOf ?? metadata.actor;
    const end = session === undefined ? undefined : this.#ends.get(`${tenant}/${session}`);
    const isEnded = end !== undefined && end.endedAt >= asked;
    const outcome = earlySignals && outcomeOf(earlySignals);
    const finished = outcome?.explicit ?? false;
    const row: DecisionRow = {
      tenant,
      search,
      searchId,
      position,
      session,
      choice,
      tokens,
      finished,
      askedAt: asked,
      answeredAt: new Date(asked.getTime() + durationMs),
      principal: services.vault.pseudonym('principal', tenant, JSON.stringify([metadata.principal, user])),
      inContext: false,
      dueAt: finished
        ? undefined
        : isEnded
          ? end.endedAt
          : new Date(Math.min(asked.getTime(), now()) + windowMs),
      closedBy: isEnded ? 'session-end' : 'window',
      cause: isEnded ? end.cause : id,
      outcome: outcome?.kind === 'none' ? undefined : outcome,
      consumed: false,
    };
    if (session !== undefined) await this.#detectRefinement(row, id);
    this.#rows.put(row);
  }

  /** Records that a search refines the latest earlier one in its session that asked something similar. */
  async #detectRefinement(later: DecisionRow, causationId: string): Promise<void> {
    for (const row of this.#rows.before(later, compared)) {
      if (!(await this.#texts.isRefined(row, later))) continue;
      await observeSignal(this.#parts.services, this.#contextOf(row.tenant, causationId), row, (signals) =>
        signals.some(({ source }) => source === 'refinement')
          ? undefined
          : { kind: 'refined', source: 'refinement', memoryIds: [] },
      );
      return;
    }
  }

  /** A context counts when its search is closed; if that has happened before, at once. */
  async #assembled({ id, event, metadata }: Of<'ContextAssembled'>): Promise<void> {
    const { searchId, items } = event.data;
    const row = this.#rows.get({ tenant: metadata.tenant, search: searchOf(searchId) });
    if (!row || items.length === 0) return;
    this.#rows.put({ ...row, inContext: true });
    if (!row.finished || row.outcome?.explicit) return;
    const inContext = items.map(({ memoryId }) => memoryId);
    await observeSignal(this.#parts.services, this.#contextOf(row.tenant, id), row, (signals) =>
      closingSignal(signals, { inContext, isObservable: true, by: row.closedBy }),
    );
  }

  /** Feedback on a memory that the search did not answer says nothing about the search. */
  async #judged({ id, event, metadata }: Of<'FeedbackGiven'>): Promise<void> {
    const { services } = this.#parts;
    const { searchId, memoryId } = event.data;
    if (searchId === undefined) return;
    const ref = { search: searchOf(searchId), searchId };
    const recorded = await services.store.load<RetrievalEvent>(retrievalStream(metadata.tenant, ref.search));
    if (isRecorded(recorded) && !answeredMemories(recorded).has(memoryId)) return;
    await observeSignal(services, this.#contextOf(metadata.tenant, id), ref, (signals) =>
      newFeedback(signals, event.data),
    );
  }

  /** The outcome is computed from all signals of the search that the log holds by now. */
  async #observed({ id, event, metadata, time, position }: Of<'OutcomeObserved'>): Promise<void> {
    const { services, windowMs, now } = this.#parts;
    const { tenant } = metadata;
    const { searchId, source, kind } = event.data;
    const search = searchOf(searchId);
    if (source === 'caller') {
      const principal = services.vault.pseudonym('principal', tenant, metadata.principal);
      this.#posters.set(`${tenant}/${principal}`, { tenant, principal });
    }
    // The process that closes searches writes their rows itself.
    if (source === 'window' || source === 'session-end') return;
    const isExplicit = source === 'caller' || source === 'feedback';
    const signals = isExplicit ? await signalsOf(services.store, tenant, search) : [];
    await recordUse(services, this.#contextOf(tenant, id), search, signals);
    const row = this.#rows.get({ tenant, search });
    if (row && row.position > 0) {
      if (row.consumed) return;
      const outcome = outcomeOf(isExplicit ? signals : await signalsOf(services.store, tenant, search));
      if (row.finished && outcome.kind === 'none') return this.#reopen(row);
      const finished = row.finished || outcome.explicit;
      this.#rows.put({ ...row, outcome, finished, dueAt: finished ? undefined : row.dueAt });
      return;
    }
    if (kind === 'withdrawn' && outcomeOf(signals).kind === 'none') return this.#openAgain(tenant, search);
    const mayBeEarly = source === 'caller' && !row;
    if (!mayBeEarly || (await this.#texts.positionOf(tenant, search)) < position) return;
    const asked = askedAt(searchId, time);
    this.#rows.put({
      tenant,
      search,
      searchId,
      position: 0,
      principal: '',
      session: undefined,
      choice: undefined,
      tokens: 0,
      inContext: false,
      outcome: undefined,
      finished: false,
      consumed: false,
      askedAt: asked,
      answeredAt: asked,
      dueAt: new Date(Math.min(time.getTime(), now()) + windowMs),
      closedBy: 'window',
      cause: '',
    });
  }

  /** Waits again for what becomes of a search, because everything that was said of it was withdrawn. */
  #reopen(row: DecisionRow): void {
    const { windowMs, now } = this.#parts;
    const dueAt = new Date(Math.min(row.askedAt.getTime(), now()) + windowMs);
    this.#reopened.push(row);
    this.#rows.put({ ...row, outcome: undefined, finished: false, dueAt });
  }

  /** Waits again for what becomes of a search whose row was removed when its outcome seemed to be final. */
  async #openAgain(tenant: string, search: string): Promise<void> {
    const recorded = await this.#parts.services.store.load<RetrievalEvent>(retrievalStream(tenant, search));
    for (const loaded of recorded) await this.take(loaded);
  }

  #contextOf(tenant: string, causationId: string): CommandContext {
    return { ...inTenant(this.#context, tenant), causationId };
  }
}

/** The time in the search's id, and never later than it was recorded. */
function askedAt(searchId: string, recorded: Date): Date {
  const asked = timeOfSearch(searchOf(searchId));
  return asked && asked < recorded ? asked : recorded;
}

function endOf({ id, event, metadata, time }: Of<'SessionEnded'>): SessionEnd {
  return { tenant: metadata.tenant, session: event.data.session, endedAt: time, cause: id };
}
