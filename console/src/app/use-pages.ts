import { useInfiniteQuery } from '@tanstack/preact-query';
import { useEffect } from 'preact/hooks';
import { perform, type AnswerOf, type ArgumentsOf, type AskName } from './asks.ts';
import { useNoteCall } from './noted-calls.tsx';
import { isRefusal } from './refusal.ts';
import { useSession } from './session.tsx';
import { onceOnly, pauseAfterFailure } from './use-ask.ts';

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
  readonly repeat: () => void;
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
  useNoteCall(enabled ? { name, args } : undefined);
  const before = (args as readonly unknown[]).slice(0, -1);
  const query = (args as readonly unknown[]).at(-1) as object;
  const pages = useInfiniteQuery({
    queryKey: [id, name, 'pages', ...(args as readonly unknown[])],
    enabled,
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam: cursor, signal }) => {
      const ask = { name, args: [...before, { ...query, ...(cursor !== undefined && { cursor }) }] };
      const page: AnyPage = await perform(client, ask, { signal, retries: 1 });
      return page;
    },
    getNextPageParam: (last) => last.nextCursor,
    ...(once && onceOnly),
    refetchInterval: ({ state }) => pauseAfterFailure(state) ?? false,
  });
  const isRefused = pages.error !== null && isRefusal(pages.error);
  return {
    items: isRefused ? [] : ((pages.data?.pages ?? []).flatMap(({ items }) => items) as ItemOf<Name>[]),
    error: pages.error,
    isPending: pages.isPending,
    hasMore: pages.hasNextPage,
    more: () => {
      if (pages.hasNextPage && !pages.isFetchingNextPage) void pages.fetchNextPage();
    },
    repeat: () => void pages.refetch(),
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
