import { useInfiniteQuery, useQueryClient, type InfiniteData } from '@tanstack/preact-query';
import { useEffect, useRef } from 'preact/hooks';
import { perform, type AnswerOf, type ArgumentsOf, type AskName } from './asks.ts';
import { useNoteCall } from './noted-calls.tsx';
import { isRefusal } from './refusal.ts';
import { useSession } from './session.tsx';
import { isLong, maxRefreshedPages, onceOnly, pauseAfterFailure } from './use-ask.ts';

interface AnyPage {
  readonly items: readonly unknown[];
  readonly nextCursor?: string;
}

/** Names of methods that answer pages. */
type ListName = {
  [Name in AskName]: Awaited<AnswerOf<Name>> extends AnyPage ? Name : never;
}[AskName];
type ItemOf<Name extends AskName> =
  AnswerOf<Name> extends { readonly items: readonly (infer Item)[] } ? Item : never;

/** The pages of a list that were asked for so far. */
export interface Pages<Item> {
  readonly items: readonly Item[];
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly hasMore: boolean;
  /** Asks for the next page, unless it is on its way. */
  readonly more: () => void;
  /** Asks for all these pages again. */
  readonly repeat: () => void;
  /** Forgets all but the first pages of a long list, which is then refreshed again. For when its beginning comes into view. */
  readonly shorten: () => void;
}

interface PagesOptions {
  readonly enabled?: boolean | undefined;
  /** Whether events and changes leave it alone once it is read. */
  readonly once?: boolean | undefined;
}

/** Asks for a list page by page. The last of the arguments is its query, which gets the cursor. */
export function usePages<Name extends ListName>(
  name: Name,
  args: ArgumentsOf<Name>,
  { enabled = true, once = false }: PagesOptions = {},
): Pages<ItemOf<Name>> {
  const { client, id } = useSession();
  const queries = useQueryClient();
  useNoteCall(enabled ? { name, args } : undefined);
  const before = (args as readonly unknown[]).slice(0, -1);
  const query = (args as readonly unknown[]).at(-1) as object;
  const queryKey = [id, name, 'pages', ...(args as readonly unknown[])];
  const pages = useInfiniteQuery({
    queryKey,
    enabled,
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam: cursor, signal }) => {
      const ask = { name, args: [...before, { ...query, ...(cursor !== undefined && { cursor }) }] };
      const page: AnyPage = await perform(client, ask, { signal, retries: 1 });
      return page;
    },
    getNextPageParam: (last) => last.nextCursor,
    refetchOnMount: (asked) => asked.state.isInvalidated || !isLong(asked),
    refetchOnReconnect: (asked) => !isLong(asked),
    refetchOnWindowFocus: (asked) => !isLong(asked),
    ...(once && onceOnly),
    // A next page that failed is asked for again alone; see below.
    refetchInterval: ({ state }) =>
      state.fetchMeta?.fetchMore ? false : (pauseAfterFailure(state) ?? false),
  });
  const count = pages.data?.pages.length ?? 0;
  // A refresh cancels the request for a next page. The end of the list is then still in view, and nothing would ask again.
  const wantedAfter = useRef(-1);
  useEffect(() => {
    if (wantedAfter.current !== count || pages.isFetching || !pages.hasNextPage) return undefined;
    const pauseMs = pages.error ? pauseAfterFailure(pages) : 0;
    if (pauseMs === undefined || (pages.error && !pages.isFetchNextPageError)) return undefined;
    const timer = setTimeout(() => void pages.fetchNextPage(), pauseMs);
    return () => clearTimeout(timer);
  }, [count, pages.isFetching, pages.hasNextPage, pages.errorUpdateCount]);
  const isRefused = pages.error !== null && isRefusal(pages.error);
  return {
    items: isRefused ? [] : ((pages.data?.pages ?? []).flatMap(({ items }) => items) as ItemOf<Name>[]),
    error: pages.error,
    isPending: pages.isPending,
    hasMore: pages.hasNextPage,
    more: () => {
      wantedAfter.current = count;
      if (pages.hasNextPage && !pages.isFetchingNextPage) void pages.fetchNextPage();
    },
    repeat: () => void pages.refetch(),
    shorten: () => {
      if (count <= maxRefreshedPages) return;
      queries.setQueryData<InfiniteData<AnyPage>>(
        queryKey,
        (data) =>
          data && {
            pages: data.pages.slice(0, maxRefreshedPages),
            pageParams: data.pageParams.slice(0, maxRefreshedPages),
          },
      );
      if (!once) void queries.invalidateQueries({ queryKey, exact: true });
    },
  };
}

/** Reads on by itself until there are `max` items. Answers whether it stopped there, although there are more. */
export function useReadUpTo(pages: Pages<unknown>, max: number): boolean {
  const { hasMore, items, more } = pages;
  const isCut = hasMore && items.length >= max;
  useEffect(() => {
    if (hasMore && !isCut) more();
  }, [items.length, hasMore, isCut]);
  return isCut;
}
