import type { Arm, Outcome, RouteDecision } from '../domain/learning/logged-decision.ts';

/** A search in the table `control.decisions`. */
export interface DecisionRow {
  readonly tenant: string;
  /** Id of the search without its signature. */
  readonly search: string;
  readonly searchId: string;
  /** Of `SearchPerformed`; 0 if an outcome came first. */
  readonly position: number;
  readonly askedAt: Date;
  readonly answeredAt: Date;
  readonly principal: string;
  readonly session: string | undefined;
  /** Absent if there was no choice of a route. */
  readonly choice: (RouteDecision & { readonly taken: Arm }) | undefined;
  readonly tokens: number;
  readonly inContext: boolean;
  /** When it is closed if nothing more is heard of it; absent once its outcome is final. */
  readonly dueAt: Date | undefined;
  readonly closedBy: 'window' | 'session-end';
  /** Id of the event that closes it when it is due. */
  readonly cause: string;
  readonly outcome: Outcome | undefined;
  readonly finished: boolean;
  readonly consumed: boolean;
}

/** A row of `control.decisions` as the database returns it. */
export interface StoredRow extends Record<string, unknown> {
  readonly tenant: string;
  readonly search: string;
  readonly search_id: string;
  readonly position: number;
  readonly asked_at: Date;
  readonly answered_at: Date;
  readonly principal: string;
  readonly session: string | null;
  readonly choice: DecisionRow['choice'] | null;
  readonly tokens: number;
  readonly in_context: boolean;
  readonly due_at: Date | null;
  readonly closed_by: DecisionRow['closedBy'];
  readonly cause: string;
  readonly outcome: Outcome | null;
  readonly finished: boolean;
  readonly consumed: boolean;
}

export type SearchKey = Pick<DecisionRow, 'tenant' | 'search'>;

/** The row without null: what is missing is undefined. */
export function rowOf(row: StoredRow): DecisionRow {
  const { tenant, search, position, principal, tokens, cause, finished, consumed } = row;
  return {
    tenant,
    search,
    position,
    principal,
    tokens,
    cause,
    finished,
    consumed,
    searchId: row.search_id,
    askedAt: row.asked_at,
    answeredAt: row.answered_at,
    session: row.session ?? undefined,
    choice: row.choice ?? undefined,
    inContext: row.in_context,
    dueAt: row.due_at ?? undefined,
    closedBy: row.closed_by,
    outcome: row.outcome ?? undefined,
  };
}
