import type * as api from './api-types.ts';
import type { BulkMemory } from './bulk.ts';
import { isProblem, ProblemError } from './errors.ts';
import { filterOf, placeOf, userOf, type EntityIds, type Filter } from './memory-filters.ts';
import type { CallOptions, StratalogOptions } from './options.ts';
import { Stratalog } from './stratalog.ts';

export type { EntityIds } from './memory-filters.ts';

export interface MemoryOptions extends StratalogOptions {
  /** A client to use instead of these settings. */
  readonly client?: Stratalog | undefined;
  /** Whether the key has the role `agent`: then each call acts for the user that it names. */
  readonly actsForUsers?: boolean | undefined;
}

export interface Message {
  readonly role: string;
  readonly content: string;
  readonly name?: string | undefined;
}

export interface AddOptions extends EntityIds, CallOptions {
  readonly metadata?: Record<string, unknown> | undefined;
  /** Accepted for compatibility. It has no effect, because messages are stored verbatim. */
  readonly infer?: boolean | undefined;
  /** Time of the messages; a number is in seconds since 1970. */
  readonly timestamp?: number | string | Date | undefined;
}

export interface SearchOptions extends EntityIds, CallOptions {
  /** `user_id` and the like, metadata by key, `AND`, `OR` and `NOT`. */
  readonly filters?: Filter | undefined;
  readonly topK?: number | undefined;
  /** Another name of `topK`. */
  readonly limit?: number | undefined;
  /** Lowest score of a result. By default only memories that answer the question are returned. */
  readonly threshold?: number | undefined;
}

export type GetAllOptions = Omit<SearchOptions, 'threshold'>;

/** Names a user for `actsForUsers`. */
export interface ByIdOptions extends CallOptions {
  readonly userId?: string | undefined;
}

export interface UpdateOptions {
  readonly text?: string | undefined;
  /** Another name of `text`. */
  readonly data?: string | undefined;
  /** Merged into the metadata that are there. */
  readonly metadata?: Record<string, unknown> | undefined;
}

export interface MemoryItem extends EntityIds {
  readonly id: string;
  readonly memory: string;
  readonly metadata: Record<string, unknown>;
  readonly categories: string[];
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly score?: number;
}

export interface AddedItem {
  readonly id: string;
  readonly memory: string;
  readonly event: 'ADD';
}

export interface HistoryItem {
  readonly id: string;
  readonly memoryId: string;
  readonly event: 'ADD' | 'UPDATE' | 'DELETE';
  readonly oldMemory: string | null;
  readonly newMemory: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Instructions of a program are not memories; mem0 skips them too. */
const skippedRoles = new Set(['system', 'developer']);
/** How many memories are deleted at a time. */
const atOnce = 8;

/** A memory with the verbs and parameter names of mem0. */
export class Memory {
  readonly client: Stratalog;
  readonly #actsForUsers: boolean;

  constructor({ client, actsForUsers = false, ...options }: MemoryOptions = {}) {
    this.client = client ?? new Stratalog(options);
    this.#actsForUsers = actsForUsers;
  }

  /** Stores a text, or each message of a conversation, in order. */
  async add(
    messages: string | Message | readonly Message[],
    options: AddOptions = {},
  ): Promise<{ results: AddedItem[] }> {
    const { metadata, timestamp } = options;
    const place = placeOf(options);
    const occurredAt = timestamp === undefined ? undefined : timeOf(timestamp);
    const turns = (typeof messages === 'string' ? [{ role: 'user', content: messages }] : [messages].flat())
      .filter(({ role }) => !skippedRoles.has(role))
      .map(({ role, content, name }: Message): BulkMemory => ({
        ...place,
        content,
        metadata: { role, ...(name !== undefined && { actor_id: name }), ...metadata },
        ...(occurredAt !== undefined && { occurredAt }),
      }));
    const results: AddedItem[] = [];
    if (turns.length === 0) return { results };
    for await (const { id, status, problem } of this.client.memories.bulk(turns, this.#call(options))) {
      if (id === undefined) throw new ProblemError(status, problem ?? {});
      results.push({ id, memory: turns[results.length]!.content, event: 'ADD' });
    }
    return { results };
  }

  async search(query: string, options: SearchOptions = {}): Promise<{ results: MemoryItem[] }> {
    const { filters, topK = options.limit, threshold } = options;
    const { results } = await this.client.search(
      { query, filter: filterOf(options, filters), topK, threshold },
      this.#call(options, filters),
    );
    return { results: results.map(({ memory, score }) => ({ ...itemOf(memory), score })) };
  }

  /** The memory; null if it does not exist or was deleted. */
  async get(memoryId: string, options: ByIdOptions = {}): Promise<MemoryItem | null> {
    try {
      const memory = await this.client.memories.get(memoryId, {}, this.#call(options));
      return memory.state === 'deleted' ? null : itemOf(memory);
    } catch (error) {
      if (isProblem(error, 'not-found')) return null;
      throw error;
    }
  }

  /** The newest memories, 100 by default. */
  async getAll(options: GetAllOptions = {}): Promise<{ results: MemoryItem[] }> {
    const { filters, topK = options.limit ?? 100 } = options;
    const results: MemoryItem[] = [];
    if (topK <= 0) return { results };
    for await (const memory of this.#matching(options, filters, Math.min(topK, 500))) {
      results.push(itemOf(memory));
      if (results.length >= topK) break;
    }
    return { results };
  }

  async update(
    memoryId: string,
    change: string | UpdateOptions,
    options: ByIdOptions = {},
  ): Promise<{ message: string }> {
    const { text, data, metadata } = typeof change === 'string' ? { text: change } : change;
    await this.client.memories.update(memoryId, { content: text ?? data, metadata }, this.#call(options));
    return { message: 'Memory updated successfully!' };
  }

  /** Deletes a memory. It can be restored for 30 days, by `client.memories.restore`. */
  async delete(memoryId: string, options: ByIdOptions = {}): Promise<{ message: string }> {
    await this.client.memories.delete(memoryId, this.#call(options));
    return { message: 'Memory deleted successfully!' };
  }

  /** Deletes all memories with these ids. Throws a `TypeError` if none is given. */
  async deleteAll(options: EntityIds & CallOptions = {}): Promise<{ message: string }> {
    const ids: string[] = [];
    for await (const { id } of this.#matching(options)) ids.push(id);
    const call = this.#call(options);
    const remove = async (): Promise<void> => {
      for (let id = ids.pop(); id !== undefined; id = ids.pop())
        // Somebody else may have deleted it meanwhile.
        await this.client.memories.delete(id, call).catch((error: unknown) => {
          if (!isProblem(error, 'not-found')) throw error;
        });
    };
    await Promise.all(Array.from({ length: atOnce }, remove));
    return { message: 'Memories deleted successfully!' };
  }

  /** Every version, oldest first. */
  async history(memoryId: string, options: ByIdOptions = {}): Promise<HistoryItem[]> {
    const items: HistoryItem[] = [];
    let text: string | null = null;
    let shown: string | null = null;
    for await (const { revision, type, at, changes } of this.client.memories.history(
      memoryId,
      {},
      this.#call(options),
    )) {
      const content = changes['content']?.to;
      if (typeof content === 'string') text = content;
      const oldMemory: string | null = shown;
      const event: HistoryItem['event'] =
        type === 'MemoryDeleted' ? 'DELETE' : oldMemory === null ? 'ADD' : 'UPDATE';
      shown = event === 'DELETE' ? null : text;
      items.push({
        id: `${memoryId}:${revision}`,
        memoryId,
        event,
        oldMemory,
        newMemory: shown,
        createdAt: items[0]?.createdAt ?? at,
        updatedAt: at,
      });
    }
    return items;
  }

  /** Same as `deleteAll`: ids are required, because no call deletes the memories of everybody. */
  async reset(scope: EntityIds & CallOptions = {}): Promise<{ message: string }> {
    return this.deleteAll(scope);
  }

  #matching(options: EntityIds & CallOptions, filters?: Filter, limit?: number): AsyncIterable<api.Memory> {
    return this.client.memories.list(
      { filter: filterOf(options, filters), limit },
      this.#call(options, filters),
    );
  }

  #call(options: EntityIds & CallOptions, filters?: Filter): CallOptions {
    const {
      signal,
      timeoutMs,
      retries,
      onBehalfOf = this.#actsForUsers ? userOf(options, filters) : undefined,
    } = options;
    return { signal, timeoutMs, retries, onBehalfOf };
  }
}

function itemOf({ id, content, metadata, tags, scope, createdAt, updatedAt }: api.Memory): MemoryItem {
  return {
    id,
    memory: content,
    metadata,
    categories: tags,
    ...(scope.user !== undefined && { userId: scope.user }),
    ...(scope.agent !== undefined && { agentId: scope.agent }),
    ...(scope.session !== undefined && { runId: scope.session }),
    ...(scope.project !== undefined && { appId: scope.project }),
    createdAt,
    updatedAt,
  };
}

function timeOf(timestamp: number | string | Date): string {
  return new Date(typeof timestamp === 'number' ? timestamp * 1_000 : timestamp).toISOString();
}
