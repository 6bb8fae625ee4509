import { causedBy, type CommandContext, type CommandServices } from '../commands/context.ts';
import { observeSignal } from '../commands/outcomes/observe-signal.ts';
import { recordUse } from '../commands/outcomes/record-use.ts';
import { signalsOf } from '../commands/outcomes/search-signals.ts';
import type { Reactor } from '../follow/reactor.ts';
import type { OutcomeEvent, SessionEvent } from '../domain/learning/events.ts';
import { closingSignal, newFeedback } from '../domain/learning/outcome.ts';
import type { PolicyUpdate } from '../domain/learning/policy-events.ts';
import { isRefinement } from '../domain/learning/refinement.ts';
import { answeredMemories, isRecorded } from '../domain/retrieval/answered-memories.ts';
import type { RetrievalEvent } from '../domain/retrieval/events.ts';
import { askedAtOf, searchOf } from '../domain/retrieval/search-id.ts';
import { outcomeStream, retrievalStream } from '../domain/streams.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import type { DecisionRow, SearchKey } from '../read-models/decisions.ts';

type Followed = LoadedEvent<RetrievalEvent | OutcomeEvent | SessionEvent | PolicyUpdate>;
type Of<Type extends Followed['event']['type']> = Followed & {
  readonly event: Extract<Followed['event'], { type: Type }>;
};

/** Reads of the read model `decisions`, each when it has applied the log up to `minPosition`. */
export interface OutcomeReads {
  /** Resolves when the read model has applied the log so far. */
  reached(minPosition: number): Promise<void>;
  rowsOf(keys: readonly SearchKey[], minPosition: number): Promise<readonly DecisionRow[]>;
  early(keys: readonly SearchKey[], minPosition: number): Promise<readonly SearchKey[]>;
  before(
    search: SearchKey & { readonly session: string; readonly askedAt: Date },
    limit: number,
    minPosition: number,
  ): Promise<readonly DecisionRow[]>;
}

interface OutcomeParts {
  readonly services: CommandServices;
  readonly reads: OutcomeReads;
}

/** Names the checkpoint of the reactor. */
export const outcomesName = 'outcomes';

/** How many earlier searches of a session a question is compared with. */
const compared = 3;

/**
 * Records what events say about the outcomes of searches: that a question refines an earlier one, feedback on an answer, a context that
 * was made of one that was closed already, and which memories were used. It reads nothing that is sealed, except the questions of one
 * session that were asked shortly after each other. The ends of sessions and the steps of policies only wake what waits for them.
 */
export function outcomeReactor({ services, reads }: OutcomeParts, context: CommandContext): Reactor {
  return {
    name: outcomesName,
    handles: [
      'SearchPerformed',
      'ContextAssembled',
      'FeedbackGiven',
      'OutcomeObserved',
      'SessionEnded',
      'PolicyUpdated',
    ],
    routingOnly: true,
    // Nothing waits for an outcome but learning.
    lingerMs: 500,
    async handle(events) {
      const followed = events as readonly Followed[];
      const { position } = followed.at(-1)!;
      await reads.reached(position);
      const early = await reads.early(keysOf(followed, 'SearchPerformed'), position);
      const isEarly = new Set(early.map(nameOf));
      const inContext = await reads.rowsOf(keysOf(followed, 'ContextAssembled'), position);
      const rows = new Map(inContext.map((row) => [nameOf(row), row]));
      for (const loaded of followed) {
        const { event, metadata } = loaded;
        const own = causedBy(context, loaded);
        if (event.type === 'SearchPerformed') {
          const search = searchOf(event.data.searchId);
          if (isEarly.has(nameOf({ tenant: metadata.tenant, search })))
            await useByOutcome(services, context, metadata.tenant, search);
          await detectRefinement({ services, reads }, own, loaded as Of<'SearchPerformed'>, position);
        } else if (event.type === 'ContextAssembled')
          await assembled(services, own, loaded as Of<'ContextAssembled'>, rows);
        else if (event.type === 'FeedbackGiven') await judged(services, own, loaded as Of<'FeedbackGiven'>);
        else if (event.type === 'OutcomeObserved' && isExplicit(event.data.source))
          await use(services, own, searchOf(event.data.searchId));
      }
    },
  };
}

const isExplicit = (source: OutcomeEvent['data']['source']): boolean =>
  source === 'caller' || source === 'feedback';

const nameOf = ({ tenant, search }: SearchKey): string => `${tenant}/${search}`;

function keysOf(events: readonly Followed[], type: 'SearchPerformed' | 'ContextAssembled'): SearchKey[] {
  return events.flatMap(({ event, metadata }) =>
    event.type === type ? [{ tenant: metadata.tenant, search: searchOf(event.data.searchId) }] : [],
  );
}

async function use(services: CommandServices, context: CommandContext, search: string): Promise<void> {
  const { tenant } = context.caller;
  await recordUse(services, context, search, await signalsOf(services.store, tenant, search));
}

/** The same for an outcome that came before its search was recorded: it is the cause, although the search is what was waited for. */
async function useByOutcome(
  services: CommandServices,
  context: CommandContext,
  tenant: string,
  search: string,
): Promise<void> {
  const outcomes = await services.store.load<OutcomeEvent>(outcomeStream(tenant, search));
  const last = outcomes.findLast(({ event }) => isExplicit(event.data.source));
  if (last) await use(services, causedBy(context, last), search);
}

/** Records that a search refines the latest earlier one in its session that asked something similar. */
async function detectRefinement(
  { services, reads }: OutcomeParts,
  context: CommandContext,
  { event, metadata, time }: Of<'SearchPerformed'>,
  minPosition: number,
): Promise<void> {
  const { tenant } = metadata;
  const { searchId, session } = event.data;
  if (session === undefined) return;
  const [search, askedAt] = [searchOf(searchId), askedAtOf(searchId, time)];
  const earlier = await reads.before({ tenant, session, search, askedAt }, compared, minPosition);
  if (earlier.length === 0) return;
  const asked = await questionOf(services, { tenant, search });
  for (const row of earlier) {
    const before = await questionOf(services, row);
    // An erased question is compared with nothing.
    if (asked === undefined || before === undefined || !isRefinement(before, asked)) continue;
    await observeSignal(services, context, { search: row.search, searchId: row.search_id }, (signals) =>
      signals.some(({ source }) => source === 'refinement')
        ? undefined
        : { kind: 'refined', source: 'refinement', memoryIds: [] },
    );
    return;
  }
}

/** What was asked, read from the log when it is needed, because it can be erased. */
async function questionOf(
  { store }: CommandServices,
  { tenant, search }: SearchKey,
): Promise<string | undefined> {
  const performed = await store.loadOne(retrievalStream(tenant, search), 0);
  return performed?.event.type === 'SearchPerformed' && !performed.erased
    ? performed.event.data.query
    : undefined;
}

/** A context counts when its search is closed; if that has happened before, at once. */
async function assembled(
  services: CommandServices,
  context: CommandContext,
  { event, metadata }: Of<'ContextAssembled'>,
  rows: ReadonlyMap<string, DecisionRow>,
): Promise<void> {
  const { searchId, items } = event.data;
  const row = rows.get(nameOf({ tenant: metadata.tenant, search: searchOf(searchId) }));
  if (!row?.final || row.outcome?.explicit || items.length === 0) return;
  const inContext = items.map(({ memoryId }) => memoryId);
  await observeSignal(services, context, { search: row.search, searchId: row.search_id }, (signals) =>
    closingSignal(signals, { inContext, isObservable: true, by: closedBy(row) }),
  );
}

/** Feedback on a memory that the search did not answer says nothing about the search. */
async function judged(
  services: CommandServices,
  context: CommandContext,
  { event, metadata }: Of<'FeedbackGiven'>,
): Promise<void> {
  const { searchId, memoryId } = event.data;
  if (searchId === undefined) return;
  const ref = { search: searchOf(searchId), searchId };
  const recorded = await services.store.load<RetrievalEvent>(retrievalStream(metadata.tenant, ref.search));
  if (isRecorded(recorded) && !answeredMemories(recorded).has(memoryId)) return;
  await observeSignal(services, context, ref, (signals) => newFeedback(signals, event.data));
}

/** What closes a search. */
export function closedBy({ ended_at: endedAt }: DecisionRow): 'session-end' | 'window' {
  return endedAt ? 'session-end' : 'window';
}
