import { memoryHistory } from '../../api/memories/memory-history.ts';
import { getMemory } from '../../api/memories/get-memory.ts';
import type { Handler } from './request.ts';
import type { Mem0Session } from './session.ts';

interface Version {
  readonly revision: number;
  readonly type: string;
  readonly at: string;
  readonly actor: string;
  readonly changes: Readonly<Record<string, { readonly to?: unknown }>>;
}

const events: Readonly<Record<string, string>> = {
  MemoryStored: 'ADD',
  MemoryRestored: 'ADD',
  MemoryDeleted: 'DELETE',
};

/** `GET /v1/memories/{id}/history/`: every version, oldest first; also of a deleted memory. */
export const history: Handler = async ({ params, session }) => {
  const memoryId = params['id']!;
  const acting = await session.forMemory(memoryId);
  const { scope, createdAt } = await acting.perform(getMemory, { memoryId });
  return inSteps(await versionsOf(acting, memoryId)).map(({ version, before, after, metadata }) => ({
    id: `${memoryId}:${version.revision}`,
    memory_id: memoryId,
    event: events[version.type] ?? 'UPDATE',
    input: [],
    old_memory: before,
    new_memory: after,
    metadata,
    user_id: scope.user ?? null,
    actor: version.actor,
    created_at: createdAt,
    updated_at: version.at,
  }));
};

async function versionsOf(session: Mem0Session, memoryId: string): Promise<Version[]> {
  const versions: Version[] = [];
  let cursor: string | undefined;
  do {
    const page: { readonly items: readonly Version[]; readonly nextCursor: string | undefined } =
      await session.perform(memoryHistory, {
        memoryId,
        limit: 500,
        ...(cursor !== undefined && { cursor }),
      });
    // mem0 knows only changes.
    versions.push(...page.items.filter(({ type }) => type !== 'MemoryAffirmed'));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return versions;
}

interface Step {
  readonly version: Version;
  readonly before: string | null;
  readonly after: string | null;
  readonly metadata: unknown;
}

/** Each version with the texts before and after it; null if there was no memory then. */
export function inSteps(versions: readonly Version[]): readonly Step[] {
  let text: string | null = null;
  let metadata: unknown = {};
  let shown: string | null = null;
  return versions.map((version) => {
    const { changes, type } = version;
    const before = shown;
    if (changes['content'] !== undefined) text = String(changes['content'].to);
    if (changes['metadata'] !== undefined) metadata = changes['metadata'].to ?? {};
    shown = type === 'MemoryDeleted' ? null : text;
    return { version, before, after: shown, metadata };
  });
}
