import type { OutcomeEvent, SessionEvent } from '../../domain/learning/events.ts';
import { checkedSignals, outcomeOf, type OutcomeSignal } from '../../domain/learning/outcome.ts';
import type { PolicyUpdate } from '../../domain/learning/policy-events.ts';
import { refinedWithinMs } from '../../domain/learning/refinement.ts';
import { systemTenant } from '../../domain/access/context.ts';
import { answeredMemories } from '../../domain/retrieval/answered-memories.ts';
import type { RetrievalEvent } from '../../domain/retrieval/events.ts';
import { askedAtOf, searchOf } from '../../domain/retrieval/search-id.ts';
import { outcomeStream, retrievalStream } from '../../domain/streams.ts';
import type { EventStore, LoadedEvent } from '../../ports/event-store.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import {
  decisions,
  earlyOutcomes,
  outcomePosters,
  sessionEnds,
  type DecisionRow,
  type SearchKey,
  type SessionEnd,
} from '../../read-models/decisions.ts';
import type { Tables } from '../../read-models/table.ts';
import { findRows, removeRows, statement, upsert, type Write } from '../write.ts';

export type Followed = LoadedEvent<RetrievalEvent | OutcomeEvent | SessionEvent | PolicyUpdate>;
type Of<Type extends Followed['event']['type']> = Followed & {
  readonly event: Extract<Followed['event'], { type: Type }>;
};

export interface FoldServices {
  /** The signals of a search are read from the log, each time up to the event that is applied. */
  readonly store: EventStore;
  readonly vault: KeyVault;
}

const dayMs = 24 * 60 * 60 * 1_000;
/** A search is recorded within this time after the end of its session. */
const keptEndsMs = dayMs;
/** Policies are trained and judged on decisions of this time. */
const keptDecisionsMs = 365 * dayMs;

/** Sources of the signals that close a search without explicit feedback. */
const closing: ReadonlySet<OutcomeSignal['source']> = new Set(['context', 'session-end', 'window']);

/** The rows of the read model `decisions` that a batch of events changes. */
export class DecisionFold {
  readonly #services: FoldServices;
  readonly #executor: SqlExecutor;
  readonly #tables: Tables;
  /** The rows that the events are about, undefined where there is none, and which of them have changed. */
  readonly #rows = new Map<string, DecisionRow | undefined>();
  readonly #changed = new Map<string, SearchKey>();
  readonly #ends = new Map<string, SessionEnd | undefined>();
  readonly #newEnds: SessionEnd[] = [];
  readonly #early = new Map<string, SearchKey>();
  readonly #newEarly = new Map<string, SearchKey>();
  readonly #posters = new Map<string, { readonly tenant: string; readonly principal: string }>();
  /** The time of the last event of each tenant. */
  readonly #lastTimes = new Map<string, Date>();
  /** When the last search of each session was asked. */
  readonly #lastAsked = new Map<
    string,
    { readonly tenant: string; readonly session: string; readonly at: Date }
  >();

  constructor(services: FoldServices, executor: SqlExecutor, tables: Tables) {
    this.#services = services;
    this.#executor = executor;
    this.#tables = tables;
  }

  /** Reads what the tables have of the searches and sessions that the events are about. */
  async load(events: readonly Followed[]): Promise<void> {
    const searches = new Map<string, SearchKey>();
    const sessions = new Map<string, Pick<SessionEnd, 'tenant' | 'session'>>();
    for (const loaded of events) {
      for (const key of searchesOf(loaded)) searches.set(keyOf(key), key);
      const { event, metadata } = loaded;
      if (event.type === 'SearchPerformed' && event.data.session !== undefined)
        sessions.set(sessionKey(metadata.tenant, event.data.session), {
          tenant: metadata.tenant,
          session: event.data.session,
        });
    }
    const [rows, early, ends] = await Promise.all([
      findRows(this.#executor, this.#tables, decisions, [...searches.values()]),
      findRows(this.#executor, this.#tables, earlyOutcomes, [...searches.values()]),
      findRows(this.#executor, this.#tables, sessionEnds, [...sessions.values()]),
    ]);
    for (const key of searches.keys()) this.#rows.set(key, undefined);
    for (const row of rows) this.#rows.set(keyOf(row), row as DecisionRow);
    for (const key of early) this.#early.set(keyOf(key), key);
    for (const key of sessions.keys()) this.#ends.set(key, undefined);
    for (const end of ends) this.#ends.set(sessionKey(end.tenant, end.session), end);
  }

  /** Applies the next event, in the order of the log. */
  async take(loaded: Followed): Promise<void> {
    const { event, metadata, time } = loaded;
    this.#lastTimes.set(metadata.tenant, time);
    switch (event.type) {
      case 'SearchPerformed':
        return this.#performed(loaded as Of<'SearchPerformed'>);
      case 'ContextAssembled': {
        const row = await this.#row({ tenant: metadata.tenant, search: searchOf(event.data.searchId) });
        if (row && event.data.items.length > 0) this.#put({ ...row, in_context: true });
        return;
      }
      case 'OutcomeObserved':
        return this.#observed(loaded as Of<'OutcomeObserved'>);
      case 'SessionEnded':
        return this.#ended(loaded as Of<'SessionEnded'>);
      case 'PolicyUpdated': {
        const flag = metadata.tenant === systemTenant ? 'base_consumed' : 'consumed';
        for (const key of consumedBy(loaded as Of<'PolicyUpdated'>)) {
          const row = await this.#row(key);
          if (row) this.#put({ ...row, [flag]: true });
        }
        return;
      }
      default:
    }
  }

  /** Writes what all events have changed. */
  write: Write = async (tx) => {
    const tables = this.#tables;
    const changed = [...this.#changed.values()];
    const written = changed.flatMap((key) => this.#rows.get(keyOf(key)) ?? []);
    const removed = changed.filter((key) => !this.#rows.get(keyOf(key)));
    await upsert(tables, decisions, written)(tx);
    await removeRows(tables, decisions, removed)(tx);
    await upsert(tables, earlyOutcomes, [...this.#newEarly.values()])(tx);
    await upsert(tables, outcomePosters, [...this.#posters.values()])(tx);
    for (const end of this.#newEnds) await this.#writeEnd(end)(tx);
    await this.#forget(tx);
  };

  async #performed({ id, event, metadata, time, position }: Of<'SearchPerformed'>): Promise<void> {
    const { tenant } = metadata;
    const { searchId, session, durationMs, decision, tokens = 0 } = event.data;
    const key = { tenant, search: searchOf(searchId) };
    const choice = decision?.choice && decision.choice.arms.length > 1 ? decision.choice : undefined;
    if ((await this.#row(key)) || (!choice && session === undefined)) return;
    const asked = askedAtOf(searchId, time);
    const end = session === undefined ? undefined : await this.#endOf(tenant, session);
    const isEnded = end !== undefined && end.ended_at >= asked;
    const outcome = this.#early.has(keyOf(key)) ? await this.#outcomeAt(key, position) : undefined;
    const user = metadata.onBehalfOf ?? metadata.actor;
    this.#put({
      ...key,
      search_id: searchId,
      position,
      asked_at: asked,
      answered_at: new Date(asked.getTime() + durationMs),
      principal: this.#services.vault.pseudonym(
        'principal',
        tenant,
        JSON.stringify([metadata.principal, user]),
      ),
      session,
      choice,
      tokens,
      in_context: false,
      ended_at: isEnded ? end.ended_at : undefined,
      cause: isEnded ? end.cause : id,
      outcome,
      final: outcome?.explicit ?? false,
      consumed: false,
      base_consumed: false,
    });
    if (session === undefined) return;
    const last = this.#lastAsked.get(sessionKey(tenant, session));
    if (!last || last.at < asked)
      this.#lastAsked.set(sessionKey(tenant, session), { tenant, session, at: asked });
  }

  async #observed({ event, metadata, position }: Of<'OutcomeObserved'>): Promise<void> {
    const { tenant } = metadata;
    const { searchId, source, kind } = event.data;
    const key = { tenant, search: searchOf(searchId) };
    if (source === 'caller') {
      const principal = this.#services.vault.pseudonym('principal', tenant, metadata.principal);
      this.#posters.set(`${tenant}/${principal}`, { tenant, principal });
    }
    const row = await this.#row(key);
    if (!row) return this.#observedWithoutRow(key, { source, kind }, position);
    if (row.consumed) return;
    const isFirst = !row.outcome && source !== 'caller' && source !== 'feedback';
    const outcome = isFirst ? outcomeOf([event.data]) : await this.#outcomeAt(key, position);
    if (!outcome) return this.#put({ ...row, outcome, final: false });
    this.#put({ ...row, outcome, final: row.final || outcome.explicit || closing.has(source) });
  }

  /**
   * An outcome may be recorded before its search. Or the row was removed when its outcome was final, and now everything that was said
   * of the search is withdrawn: then it waits for an outcome again.
   */
  async #observedWithoutRow(
    key: SearchKey,
    { source, kind }: Pick<OutcomeSignal, 'source' | 'kind'>,
    position: number,
  ): Promise<void> {
    const recorded = await this.#recordedAt(key, position);
    const isRecorded = recorded.some(({ event }) => event.type === 'SearchPerformed');
    if (source === 'caller' && !isRecorded) {
      this.#early.set(keyOf(key), key);
      this.#newEarly.set(keyOf(key), key);
    } else if (kind === 'withdrawn' && !(await this.#outcomeAt(key, position)))
      for (const loaded of recorded) await this.take(loaded);
  }

  #ended({ id, event, metadata, time }: Of<'SessionEnded'>): void {
    const { tenant } = metadata;
    const end = { tenant, session: event.data.session, ended_at: time, cause: id };
    this.#ends.set(sessionKey(tenant, end.session), end);
    this.#newEnds.push(end);
  }

  /** A search is closed by the first end of its session after it was asked. */
  #writeEnd(end: SessionEnd): Write {
    const { tenant, session, ended_at: endedAt, cause } = end;
    return async (tx) => {
      await upsert(this.#tables, sessionEnds, [end])(tx);
      await statement(
        `update ${this.#tables(decisions.name)} set ended_at = $3, cause = $4
         where tenant = $1 and session = $2 and asked_at <= $3 and (ended_at is null or ended_at > $3)`,
        [tenant, session, endedAt, cause],
      )(tx);
      await statement(`delete from ${this.#tables(sessionEnds.name)} where tenant = $1 and ended_at < $2`, [
        tenant,
        new Date(endedAt.getTime() - keptEndsMs),
      ])(tx);
    };
  }

  /** Deletes old decisions, and searches without a choice that no later one can refine any more. */
  async #forget(tx: SqlExecutor): Promise<void> {
    const table = this.#tables(decisions.name);
    const last = [...this.#lastAsked.values()];
    if (last.length > 0)
      await tx.query(
        `delete from ${table} d using unnest($1::text[], $2::text[], $3::timestamptz[]) as asked(tenant, session, since)
         where d.tenant = asked.tenant and d.session = asked.session and d.asked_at < asked.since
           and d.choice is null and d.outcome is not null`,
        [
          last.map(({ tenant }) => tenant),
          last.map(({ session }) => session),
          last.map(({ at }) => new Date(at.getTime() - refinedWithinMs).toISOString()),
        ],
      );
    await tx.query(
      `delete from ${table} d using unnest($1::text[], $2::timestamptz[]) as kept(tenant, since)
       where d.tenant = kept.tenant and d.final and d.asked_at < kept.since`,
      [
        [...this.#lastTimes.keys()],
        [...this.#lastTimes.values()].map((time) => new Date(time.getTime() - keptDecisionsMs).toISOString()),
      ],
    );
  }

  async #row(key: SearchKey): Promise<DecisionRow | undefined> {
    const known = keyOf(key);
    if (!this.#rows.has(known)) {
      const [row] = await findRows(this.#executor, this.#tables, decisions, [key]);
      this.#rows.set(known, row as DecisionRow | undefined);
    }
    return this.#rows.get(known);
  }

  /** Sets a row. Removes it if its outcome is final and there was no choice of a route: then nothing can be learned from it. */
  #put(row: DecisionRow): void {
    this.#rows.set(keyOf(row), row.final && !row.choice ? undefined : row);
    this.#changed.set(keyOf(row), { tenant: row.tenant, search: row.search });
  }

  async #endOf(tenant: string, session: string): Promise<SessionEnd | undefined> {
    const key = sessionKey(tenant, session);
    if (!this.#ends.has(key)) {
      const [end] = await findRows(this.#executor, this.#tables, sessionEnds, [{ tenant, session }]);
      this.#ends.set(key, end);
    }
    return this.#ends.get(key);
  }

  /** The outcome of a search by the signals up to a position; undefined if they say nothing. */
  async #outcomeAt(key: SearchKey, position: number): Promise<DecisionRow['outcome']> {
    const outcomes = await this.#services.store.load<OutcomeEvent>(outcomeStream(key.tenant, key.search));
    const signals = upTo(outcomes, position).map(({ event }) => event.data);
    const isChecked = signals.every(({ memoryIds }) => memoryIds.length === 0);
    const outcome = outcomeOf(
      isChecked ? signals : checkedSignals(signals, answeredMemories(await this.#recordedAt(key, position))),
    );
    return outcome.kind === 'none' ? undefined : outcome;
  }

  async #recordedAt({ tenant, search }: SearchKey, position: number): Promise<LoadedEvent<RetrievalEvent>[]> {
    return upTo(await this.#services.store.load<RetrievalEvent>(retrievalStream(tenant, search)), position);
  }
}

const keyOf = ({ tenant, search }: SearchKey): string => `${tenant}/${search}`;
const sessionKey = (tenant: string, session: string): string => `${tenant}/${session}`;

function upTo<Loaded extends LoadedEvent>(events: readonly Loaded[], position: number): Loaded[] {
  return events.filter((event) => event.position <= position);
}

/** The searches whose rows an event may change. */
function searchesOf(loaded: Followed): readonly SearchKey[] {
  const { event, metadata } = loaded;
  if (event.type === 'PolicyUpdated') return consumedBy(loaded as Of<'PolicyUpdated'>);
  if (!('searchId' in event.data) || event.data.searchId === undefined) return [];
  return [{ tenant: metadata.tenant, search: searchOf(event.data.searchId) }];
}

/** The decisions that the policy of a tenant, or the global base, has learned from. */
function consumedBy({ event, metadata }: Of<'PolicyUpdated'>): readonly SearchKey[] {
  return event.data.consumed.map(({ searchId, tenant = metadata.tenant }) => ({ tenant, search: searchId }));
}
