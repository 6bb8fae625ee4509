import type { AuditEvent, StoredMemory } from '@stratalog/client';
import { eventsOf, type ContextData, type OutcomeData, type SearchData } from './events.ts';

/** One session in the list. */
export interface RecentSession {
  readonly id: string;
  /** Who searched in it, or stored its turns. */
  readonly actors: readonly string[];
  readonly firstAt: string;
  readonly lastAt: string;
  readonly turns: number;
  readonly searches: number;
  readonly promptTokens: number;
  /** Searches whose answers were used. */
  readonly helped: number;
  /** When it was last ended; undefined while it is open. */
  readonly endedAt: string | undefined;
  /** The latest question or, without one, the latest turn. */
  readonly about: string;
}

interface Draft extends Omit<RecentSession, 'actors'> {
  readonly actors: Set<string>;
}

type Mutable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

/** The sessions that these events and turns name, the one with the latest activity first. */
export function recentSessions(
  events: readonly AuditEvent[],
  turns: readonly StoredMemory[],
): RecentSession[] {
  const drafts = new Map<string, Mutable<Draft>>();
  const sessionOfSearch = new Map<string, Mutable<Draft>>();
  const draftOf = (id: string, at: string, actor: string): Mutable<Draft> => {
    const draft = drafts.get(id) ?? emptyDraft(id, at);
    drafts.set(id, draft);
    draft.actors.add(actor);
    if (at < draft.firstAt) draft.firstAt = at;
    if (at > draft.lastAt) draft.lastAt = at;
    return draft;
  };
  for (const turn of [...turns].sort((one, other) => (one.createdAt < other.createdAt ? -1 : 1))) {
    const id = turn.scope.session;
    if (id === undefined) continue;
    const draft = draftOf(id, turn.createdAt, turn.createdBy);
    draft.turns++;
    draft.about = turn.content;
  }
  for (const { at, actor, onBehalfOf, data } of eventsOf<SearchData>(events, 'SearchPerformed')) {
    if (data.sessionId === undefined) continue;
    const draft = draftOf(data.sessionId, at, onBehalfOf ?? actor);
    draft.searches++;
    draft.about = data.query ?? draft.about;
    sessionOfSearch.set(data.searchId, draft);
  }
  for (const { data } of eventsOf<ContextData>(events, 'ContextAssembled')) {
    const draft = sessionOfSearch.get(data.searchId);
    if (draft) draft.promptTokens += data.tokenCount;
  }
  const used = eventsOf<OutcomeData>(events, 'OutcomeObserved').filter(({ data }) => data.kind === 'used');
  for (const searchId of new Set(used.map(({ data }) => data.searchId))) {
    const draft = sessionOfSearch.get(searchId);
    if (draft) draft.helped++;
  }
  for (const { at, actor, data } of eventsOf<{ sessionId?: string }>(events, 'SessionEnded'))
    if (data.sessionId !== undefined) draftOf(data.sessionId, at, actor).endedAt = at;
  return [...drafts.values()]
    .map((draft) => ({ ...draft, actors: [...draft.actors] }))
    .sort((one, other) => Date.parse(other.lastAt) - Date.parse(one.lastAt));
}

function emptyDraft(id: string, at: string): Mutable<Draft> {
  return {
    id,
    actors: new Set(),
    firstAt: at,
    lastAt: at,
    turns: 0,
    searches: 0,
    promptTokens: 0,
    helped: 0,
    endedAt: undefined,
    about: '',
  };
}
