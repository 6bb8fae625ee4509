import {
  keepPreviousData,
  useMutation,
  useQuery,
  useQueryClient,
  type UseQueryResult,
} from '@tanstack/preact-query';
import type { ChangeOptions, CommandOptions } from '@stratalog/client';
import { isRefusal } from './refusal.ts';
import { perform, type AnswerOf, type ArgumentsOf, type AskName } from './asks.ts';
import { useNoteCall } from './noted-calls.tsx';
import { useSession } from './session.tsx';

const maxPauseMs = 30_000;

/** Milliseconds until a failed call is repeated: they double with each failure. Undefined if there is nothing to repeat. */
export const pauseAfterFailure = ({
  error,
  errorUpdateCount,
}: {
  readonly error: Error | null;
  readonly errorUpdateCount: number;
}): number | undefined =>
  error && !isRefusal(error) ? Math.min(maxPauseMs, 1_000 * 2 ** errorUpdateCount) : undefined;

interface AskOptions {
  /** False until the call can be made, such as before a question was typed. */
  readonly enabled?: boolean | undefined;
  /** How often it is repeated while the view is open. Without it, only changes and events repeat it. */
  readonly everyMs?: number | undefined;
  /** Whether the last answer stays visible while other arguments are asked for. By default it does. */
  readonly keepsPrevious?: boolean | undefined;
  /** Whether events and changes leave it alone once it is made. For calls that are recorded as events themselves, such as a search. */
  readonly once?: boolean | undefined;
}

interface AnyQuery {
  readonly meta?: Record<string, unknown> | undefined;
  readonly state: { readonly data?: unknown };
}

/** Longer lists are not refreshed by events: all their pages would be read again every few seconds. */
export const maxRefreshedPages = 5;

/** Whether a query is a list of which many pages were read. */
export function isLong({ state }: AnyQuery): boolean {
  const { pages } = (state.data ?? {}) as { pages?: unknown };
  return Array.isArray(pages) && pages.length > maxRefreshedPages;
}

/** Selects the calls that changes made here repeat. */
export const repeatable = { predicate: ({ meta }: AnyQuery) => meta?.['once'] !== true };

/** Selects the calls that events repeat. */
export const refreshable = { predicate: (query: AnyQuery) => repeatable.predicate(query) && !isLong(query) };

/** Settings of a query that is made once. */
export const onceOnly = {
  meta: { once: true },
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnWindowFocus: false,
} as const;

/** The state of a call of the API. */
export interface Asked<Answer> {
  readonly answer: Answer | undefined;
  readonly error: Error | null;
  /** Whether no answer has come yet. */
  readonly isPending: boolean;
  /** Whether a call is under way, the first or another one. */
  readonly isFetching: boolean;
  /** Whether the answer belongs to earlier arguments. */
  readonly isPrevious: boolean;
  readonly repeat: () => void;
}

/**
 * Calls the API by the name of a method of the client, with all its arguments except the options, and keeps the answer up to date. The view
 * offers the call for copying. A failed call is repeated with growing pauses while the view is open.
 */
export function useAsk<Name extends AskName>(
  name: Name,
  args: ArgumentsOf<Name>,
  { enabled = true, everyMs, keepsPrevious = true, once = false }: AskOptions = {},
): Asked<AnswerOf<Name>> {
  const { client, id } = useSession();
  useNoteCall(enabled ? { name, args } : undefined);
  const query = useQuery<AnswerOf<Name>>({
    queryKey: [id, name, ...(args as readonly unknown[])],
    queryFn: ({ signal }) => perform(client, { name, args }, { signal, retries: 1 }),
    enabled,
    ...(keepsPrevious && { placeholderData: keepPreviousData }),
    ...(once && onceOnly),
    refetchInterval: ({ state }) => (state.error ? (pauseAfterFailure(state) ?? false) : (everyMs ?? false)),
  });
  return askedOf(query);
}

/** The state of a query as the views read it. What the server now refuses, such as an erased memory, is no longer shown. */
export const askedOf = <Answer>(query: UseQueryResult<Answer>): Asked<Answer> => ({
  answer: query.error && isRefusal(query.error) ? undefined : query.data,
  error: query.error,
  isPending: query.isPending,
  isFetching: query.isFetching,
  isPrevious: query.isPlaceholderData,
  repeat: () => void query.refetch(),
});

/** The state of a call that changes something. */
export interface Change<Name extends AskName> {
  /** Makes the call. Resolves with its answer, or with undefined if it failed; `error` then says why. */
  readonly run: (
    args: ArgumentsOf<Name>,
    options?: ChangeOptions & CommandOptions,
  ) => Promise<AnswerOf<Name> | undefined>;
  readonly isRunning: boolean;
  readonly error: Error | null;
  /** Forgets the error. */
  readonly reset: () => void;
}

/** A call that changes something. Afterwards everything that the view shows is asked for again. */
export function useChange<Name extends AskName>(name: Name): Change<Name> {
  const { client } = useSession();
  const queries = useQueryClient();
  const mutation = useMutation<
    AnswerOf<Name>,
    Error,
    { args: ArgumentsOf<Name>; options: (ChangeOptions & CommandOptions) | undefined }
  >({
    mutationFn: ({ args, options }) => perform(client, { name, args }, options),
    onSuccess: () => queries.invalidateQueries(repeatable),
  });
  return {
    run: (args, options) => mutation.mutateAsync({ args, options }).catch(() => undefined),
    isRunning: mutation.isPending,
    error: mutation.error,
    reset: () => mutation.reset(),
  };
}
