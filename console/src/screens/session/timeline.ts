import type { AuditEvent, StoredMemory } from '@stratalog/client';
import {
  askedAt,
  eventsOf,
  type ContextData,
  type EventWith,
  type FeedbackData,
  type ModelCallData,
  type OutcomeData,
  type SearchData,
} from './events.ts';
import { outcomeOf, rewardOf, type Outcome } from './helped.ts';

/** A search of the session, with the context that was made of it and what became of it. */
export interface SearchEntry {
  readonly kind: 'search';
  readonly at: string;
  readonly search: EventWith<SearchData>;
  readonly context: EventWith<ContextData> | undefined;
  readonly modelCalls: readonly ModelCallData[];
  readonly outcomes: readonly EventWith<OutcomeData>[];
  readonly feedback: readonly EventWith<FeedbackData>[];
  /** The outcome that counts. */
  readonly outcome: Outcome;
  /** −1 to 1; undefined until there is an outcome. */
  readonly reward: number | undefined;
  /** Tokens of language models and search texts. */
  readonly tokens: number;
}

export type Entry =
  | { readonly kind: 'turn'; readonly at: string; readonly turn: StoredMemory }
  | SearchEntry
  | { readonly kind: 'ended'; readonly at: string; readonly actor: string };

/** What happened in a session, oldest first: its turns, and the searches among the events that name it. */
export function timelineOf(
  session: string,
  turns: readonly StoredMemory[],
  events: readonly AuditEvent[],
): Entry[] {
  const searches = eventsOf<SearchData>(events, 'SearchPerformed').filter(
    ({ data }) => data.sessionId === session,
  );
  const bySearch = companionsOf(events);
  return [
    ...turns.map((turn): Entry => ({ kind: 'turn', at: turn.occurredAt ?? turn.createdAt, turn })),
    ...searches.map((search) => entryOf(search, bySearch)),
    ...eventsOf<{ readonly sessionId?: string }>(events, 'SessionEnded')
      .filter(({ data }) => data.sessionId === session)
      .map(({ at, actor }): Entry => ({ kind: 'ended', at, actor })),
  ].sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

interface Companions {
  readonly contexts: ReadonlyMap<string, readonly EventWith<ContextData>[]>;
  readonly modelCalls: ReadonlyMap<string, readonly EventWith<ModelCallData>[]>;
  readonly outcomes: ReadonlyMap<string, readonly EventWith<OutcomeData>[]>;
  readonly feedback: ReadonlyMap<string, readonly EventWith<FeedbackData>[]>;
}

function companionsOf(events: readonly AuditEvent[]): Companions {
  const grouped = <Data extends { readonly searchId?: string }>(type: string) => {
    const bySearch = new Map<string, EventWith<Data>[]>();
    for (const event of eventsOf<Data>(events, type)) {
      const { searchId = '' } = event.data;
      const others = bySearch.get(searchId);
      if (others) others.push(event);
      else bySearch.set(searchId, [event]);
    }
    return bySearch;
  };
  return {
    contexts: grouped<ContextData>('ContextAssembled'),
    modelCalls: grouped<ModelCallData>('LanguageModelCalled'),
    outcomes: grouped<OutcomeData>('OutcomeObserved'),
    feedback: grouped<FeedbackData>('FeedbackGiven'),
  };
}

function entryOf(search: EventWith<SearchData>, companions: Companions): SearchEntry {
  const { searchId, tokens = 0 } = search.data;
  const outcomes = companions.outcomes.get(searchId) ?? [];
  const outcome = outcomeOf(outcomes.map(({ data }) => data));
  return {
    kind: 'search',
    at: askedAt(searchId) ?? search.at,
    search,
    context: companions.contexts.get(searchId)?.[0],
    modelCalls: (companions.modelCalls.get(searchId) ?? []).map(({ data }) => data),
    outcomes,
    feedback: companions.feedback.get(searchId) ?? [],
    outcome,
    reward: outcome.kind === 'none' ? undefined : rewardOf(outcome, tokens),
    tokens,
  };
}

/** Figures of a session. */
export interface SessionFigures {
  readonly turns: number;
  readonly searches: number;
  readonly contexts: number;
  /** Tokens that entered prompts. */
  readonly promptTokens: number;
  /** Tokens of language models and search texts. */
  readonly searchTokens: number;
  /** At the present prices of the models; undefined if a model was called whose price is not known. */
  readonly usd: number | undefined;
  readonly helped: number;
  readonly withoutOutcome: number;
  readonly meanReward: number | undefined;
}

interface Priced {
  readonly id: string;
  readonly local: boolean;
  readonly usdPerMillionTokens?: { readonly input: number; readonly output: number };
}

/** Sums up a session. */
export function figuresOf(entries: readonly Entry[], models: readonly Priced[]): SessionFigures {
  const searches = entries.filter((entry) => entry.kind === 'search');
  const rewards = searches.flatMap(({ reward }) => reward ?? []);
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const costs = searches.flatMap(({ modelCalls }) => modelCalls).map((call) => costOf(call, models));
  return {
    turns: entries.filter(({ kind }) => kind === 'turn').length,
    searches: searches.length,
    contexts: searches.filter(({ context }) => context).length,
    promptTokens: sum(searches.map(({ context }) => context?.data.tokenCount ?? 0)),
    searchTokens: sum(searches.map(({ tokens }) => tokens)),
    usd: costs.every((cost) => cost !== undefined) ? sum(costs) : undefined,
    helped: searches.filter(({ outcome }) => outcome.kind === 'used').length,
    withoutOutcome: searches.filter(({ outcome }) => outcome.kind === 'none').length,
    meanReward: rewards.length === 0 ? undefined : sum(rewards) / rewards.length,
  };
}

/** Undefined if the price is not known. */
function costOf(call: ModelCallData, models: readonly Priced[]): number | undefined {
  const model = models.find(({ id }) => id === call.model);
  if (model?.local) return 0;
  const price = model?.usdPerMillionTokens;
  return price && (call.inputTokens * price.input + call.outputTokens * price.output) / 1_000_000;
}
