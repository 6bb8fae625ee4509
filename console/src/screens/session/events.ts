import type { AuditEvent } from '@stratalog/client';

/** Types of the events that belong to sessions; see docs/reference/events.md. */
export const sessionEventTypes = [
  'SearchPerformed',
  'ContextAssembled',
  'LanguageModelCalled',
  'OutcomeObserved',
  'FeedbackGiven',
  'SessionEnded',
] as const;

/** The fields of these events that the screens show. Any of them may be missing from an erased or older event. */
export interface SearchData {
  readonly searchId: string;
  readonly query?: string;
  readonly sessionId?: string;
  readonly results: readonly { readonly memoryId: string; readonly rank: number; readonly score?: number }[];
  readonly warnings: readonly string[];
  readonly durationMs: number;
  readonly route: string;
  readonly tokens?: number;
}

export interface ContextData {
  readonly searchId: string;
  readonly tokenBudget: number;
  readonly tokenCount: number;
  readonly tokenizer: string;
  readonly items: readonly {
    readonly kind: string;
    readonly memoryId: string;
    readonly tokens: number;
    readonly start?: number;
    readonly end?: number;
  }[];
  readonly blocks?: readonly {
    readonly kind: string;
    readonly layer: string;
    readonly scope: Readonly<Record<string, string>>;
    readonly depth?: string;
    readonly tokens: number;
    readonly sources: readonly string[];
    readonly stale?: boolean;
  }[];
  readonly leftOut: readonly { readonly memoryId: string; readonly reason: string }[];
}

export interface ModelCallData {
  readonly searchId: string;
  readonly purpose: string;
  readonly model: string;
  readonly outcome: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface OutcomeData {
  readonly searchId: string;
  readonly kind: 'used' | 'refined' | 'ignored' | 'withdrawn';
  readonly source: 'caller' | 'feedback' | 'context' | 'refinement' | 'session-end' | 'window';
  readonly memoryIds: readonly string[];
  readonly quality?: number;
  readonly refined?: boolean;
}

export interface FeedbackData {
  readonly searchId?: string;
  readonly memoryId: string;
  readonly kind: string;
  readonly score: number;
  readonly note?: string;
}

/** An event of the audit with the fields of its type. */
export type EventWith<Data> = Omit<AuditEvent, 'data'> & { readonly data: Data };

/** The events of one type. */
export function eventsOf<Data>(events: readonly AuditEvent[], type: string): EventWith<Data>[] {
  return events.filter((event) => event.type === type) as unknown as EventWith<Data>[];
}

/** When a search was asked, from its id, which begins with a UUIDv7. Its event is appended later, with others. */
export function askedAt(searchId: string): string | undefined {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(searchId) ?? [];
  return high && low && new Date(Number.parseInt(high + low, 16)).toISOString();
}
