import type { Arm, Outcome, RouteDecision } from '../domain/learning/logged-decision.ts';
import { Table, type Row } from './table.ts';

/** SQL: decisions that policies may learn from, once their outcome is final. */
export const isLearnable = `choice is not null and outcome is not null
  and not (choice ->> 'evaluation')::boolean and outcome ->> 'kind' <> 'none'`;

/**
 * Searches in a session, and those where there was a choice of a route, with what came of them; kept for a year. `search` is the id of the
 * search without its signature, `principal` a keyed hash, `ended_at` the first end of its session after it was asked, and `cause` the
 * event that closes it. `final`: somebody said what became of it, or it was closed. `consumed`, `base_consumed`: the policy of the
 * tenant, or the global base, has learned from it; then its outcome does not change any more. There is no text in it: what was asked
 * is read from the log, where it can be erased.
 */
export const decisions = new Table('decisions', {
  columns: {
    tenant: 'text',
    search: 'text',
    search_id: 'text',
    position: 'bigint',
    asked_at: 'timestamptz',
    answered_at: 'timestamptz',
    principal: 'text',
    session: 'text?',
    choice: 'jsonb?',
    tokens: 'integer',
    in_context: 'boolean',
    ended_at: 'timestamptz?',
    cause: 'text',
    outcome: 'jsonb?',
    final: 'boolean',
    consumed: 'boolean',
    base_consumed: 'boolean',
  },
  key: ['tenant', 'search'],
  indexes: [
    '(asked_at) where outcome is null',
    '(ended_at) where outcome is null and ended_at is not null',
    '(tenant, session, asked_at) where session is not null',
    '(tenant, asked_at) where final',
    '(tenant, position) include (final, ended_at, asked_at) where choice is not null and outcome is not null',
    `(tenant, position) include (final, ended_at, asked_at) where ${isLearnable} and not consumed`,
    `(tenant, position) include (final, ended_at, asked_at) where ${isLearnable} and not base_consumed`,
  ],
  digestedRows: 'choice is not null',
});

/** When sessions ended, for searches that are recorded later; kept for a day. */
export const sessionEnds = new Table('decision_session_ends', {
  columns: { tenant: 'text', session: 'text', ended_at: 'timestamptz', cause: 'text' },
  key: ['tenant', 'session'],
});

/** Searches whose outcome was posted before they were recorded. */
export const earlyOutcomes = new Table('decision_early_outcomes', {
  columns: { tenant: 'text', search: 'text' },
  key: ['tenant', 'search'],
});

/** Principals, by their keyed hashes, that have posted an outcome. */
export const outcomePosters = new Table('decision_outcome_posters', {
  columns: { tenant: 'text', principal: 'text' },
  key: ['tenant', 'principal'],
});

/** Identifies a search of a tenant. */
export type SearchKey = Pick<Row<typeof decisions>, 'tenant' | 'search'>;

export interface DecisionRow extends Omit<Row<typeof decisions>, 'choice' | 'outcome'> {
  /** Absent if there was no choice of a route. */
  readonly choice: (RouteDecision & { readonly taken: Arm }) | undefined;
  readonly outcome: Outcome | undefined;
}

export type SessionEnd = Row<typeof sessionEnds>;
