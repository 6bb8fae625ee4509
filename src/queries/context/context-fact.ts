import type { AssembledContext } from '../../domain/context/assemble.ts';
import { blockSources } from '../../domain/context/block.ts';
import type { BlockEntry } from '../../domain/context/entries.ts';
import type { SearchAnswer, SearchFact } from '../search/answer.ts';

/** A profile or a summary in a context. */
export type UsedBlock = BlockEntry & { readonly isStale: boolean };

type Context = Pick<AssembledContext, 'items' | 'leftOut' | 'tokenCount'> & {
  readonly blocks: readonly UsedBlock[];
};

/** The events of the search, and of what was put into the context instead of what the search would have returned. */
export function factOf(
  { fact, searchId }: Pick<SearchAnswer, 'fact' | 'searchId'>,
  { items, leftOut, tokenCount, blocks }: Context,
  measured: { readonly tokenBudget: number; readonly tokenizer: string; readonly durationMs: number },
): SearchFact {
  const memories = items.flatMap(({ kind, ...item }) =>
    kind === 'summary' || kind === 'profile' ? [] : [{ kind, ...item }],
  );
  const ofBlocks = items.filter(({ kind }) => kind === 'summary' || kind === 'profile');
  const memoryIds = [...new Set(memories.map(({ id }) => id))];
  return {
    id: fact.id,
    events: [
      ...fact.events.filter(({ type }) => type !== 'MemoriesAccessed'),
      {
        type: 'ContextAssembled',
        data: {
          searchId,
          ...measured,
          tokenCount,
          items: memories.map(({ kind, id, tokens, start, end }) => ({
            kind,
            memoryId: id,
            tokens,
            ...(start !== undefined && { start, end }),
          })),
          ...(blocks.length > 0 && {
            blocks: blocks.map(({ kind, block: { layer, scope, depth, ...block }, isStale }, index) => ({
              kind,
              layer,
              scope: { ...scope },
              ...(depth && { depth }),
              tokens: ofBlocks[index]!.tokens,
              sources: blockSources(block).map(({ id }) => id),
              ...(kind === 'summary' && { stale: isStale }),
            })),
          }),
          leftOut: leftOut.map(({ id, reason }) => ({ memoryId: id, reason })),
        },
      },
      ...(memoryIds.length > 0
        ? [{ type: 'MemoriesAccessed' as const, data: { searchId, how: 'context' as const, memoryIds } }]
        : []),
    ],
  };
}
