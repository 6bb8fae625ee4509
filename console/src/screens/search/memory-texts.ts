import type { StoredMemory } from '@stratalog/client';
import { useAsk } from '../../app/use-ask.ts';

/** At most as many are asked for at a time as a page of the list holds. */
const maxIds = 500;

/** Memories by id, as far as the caller can see them, as they were at a time. Undefined while they are asked for. */
export function useMemoryTexts(
  ids: readonly string[],
  asOf: string | undefined,
): ReadonlyMap<string, StoredMemory> | undefined {
  const wanted = [...new Set(ids)].sort().slice(0, maxIds);
  const { answer, error } = useAsk(
    'memories.list',
    [{ filter: { id: { in: wanted } }, limit: maxIds, ...(asOf !== undefined && { asOf }) }],
    { enabled: wanted.length > 0, keepsPrevious: false, once: asOf !== undefined },
  );
  if (wanted.length === 0 || error) return new Map();
  return answer && new Map(answer.items.map((memory) => [memory.id, memory]));
}

/** A name that a person may know a memory by: of its document or its external id. */
export const nameOf = (memory: StoredMemory | undefined): string | undefined =>
  memory?.source?.title ?? memory?.externalId;
