import type { AgentInputItem, Session } from '@openai/agents-core';
import { isProblem, type StoredMemory, type StoreMemory, type Stratalog } from '@stratalog/client';
import { inParallel } from './in-parallel.ts';
import { itemOfJson, jsonOfItem } from './openai-agents/item-json.ts';
import { itemText } from './openai-agents/item-text.ts';
import { partsOf } from './storable-text.ts';

export interface StratalogSessionOptions {
  /** The conversation to continue. Default: a new one. */
  readonly sessionId?: string | undefined;
  /** Further identifiers of the scope, such as the user or the project. Default: the caller's own. */
  readonly scope?: Omit<NonNullable<StoreMemory['scope']>, 'session'> | undefined;
}

/** Where a memory belongs in the session, and the item or a part of it. */
interface TurnMetadata {
  readonly session: string;
  /** Numbers the calls of `addItems`. Calls at the same time may have the same number; `call` tells them apart. */
  readonly turn: number;
  readonly call: string;
  /** Number of the item in its call. */
  readonly index: number;
  /** Number of the part of an item that is too long for one memory. */
  readonly part: number;
  readonly parts: number;
  readonly json: string;
}

/** An item with the memories that hold it. */
interface StoredItem extends TurnMetadata {
  readonly memories: readonly string[];
}

/** UTF-16 units of an item in one memory: with the most bytes that they can take, they fit into an event. */
const partLength = 150_000;
/** Ids follow the clocks of the servers, so among the newest memories the order may differ from that of the items. */
const outOfOrder = 20;

/**
 * A session of the OpenAI Agents SDK whose items are memories of the layer `session`: returned exactly as they were added,
 * and found by searches like other memories.
 */
export class StratalogSession implements Session {
  readonly #stratalog: Stratalog;
  readonly #id: string;
  readonly #scope: Omit<NonNullable<StoreMemory['scope']>, 'session'>;

  constructor(stratalog: Stratalog, options: StratalogSessionOptions = {}) {
    const { sessionId = crypto.randomUUID(), scope = {} } = options;
    if (sessionId === '') throw new TypeError('sessionId must not be empty');
    this.#stratalog = stratalog;
    this.#id = sessionId;
    this.#scope = scope;
  }

  getSessionId(): Promise<string> {
    return Promise.resolve(this.#id);
  }

  /** All items in order, or the last `limit` of them. */
  async getItems(limit?: number): Promise<AgentInputItem[]> {
    if (limit !== undefined && limit <= 0) return [];
    const items = await this.#items(limit);
    return items.map(({ json }) => itemOfJson(json) as AgentInputItem);
  }

  /** Adds all items or, if one cannot be stored, none. */
  async addItems(items: AgentInputItem[]): Promise<void> {
    if (items.length === 0) return;
    const turn = ((await this.#items(1)).at(-1)?.turn ?? 0) + 1;
    const call = crypto.randomUUID();
    const stored: string[] = [];
    try {
      // One after the other, because turns of a session are ordered by when they were stored.
      for (const memory of items.flatMap((item, index) => this.#memoriesOf(item, { turn, call, index })))
        stored.push((await this.#stratalog.memories.store(memory)).memory.id);
    } catch (error) {
      await this.#delete(stored);
      throw error;
    }
  }

  /** Removes the last item and returns it. */
  async popItem(): Promise<AgentInputItem | undefined> {
    const last = (await this.#items(1)).at(-1);
    if (!last) return undefined;
    await this.#delete(last.memories);
    return itemOfJson(last.json) as AgentInputItem;
  }

  /** Deletes all items. They can be restored for a while, as all memories can. */
  async clearSession(): Promise<void> {
    const memories = await this.#list().toArray();
    await this.#delete(memories.map(({ id }) => id));
  }

  #memoriesOf(item: AgentInputItem, place: Pick<TurnMetadata, 'turn' | 'call' | 'index'>): StoreMemory[] {
    const parts = partsOf(jsonOfItem(item), partLength);
    const { role } = item as { readonly role?: unknown };
    return parts.map((json, part) => {
      const about: TurnMetadata = { session: this.#id, ...place, part, parts: parts.length, json };
      return {
        content: part === 0 ? itemText(item) : `[part ${part + 1} of ${parts.length} of a long item]`,
        layer: 'session',
        scope: { ...this.#scope, session: this.#id },
        metadata: { ...(typeof role === 'string' && { role }), openaiAgents: about },
      };
    });
  }

  /** The items in order; with `limit` the last ones. */
  async #items(limit = Infinity): Promise<StoredItem[]> {
    const wanted = limit + outOfOrder;
    const parts = new Map<string, StoredMemory[]>();
    let complete = 0;
    for await (const memory of this.#list(wanted)) {
      const { call, index, parts: count } = metadataOf(memory);
      const item = `${call}/${index}`;
      const found = [...(parts.get(item) ?? []), memory];
      parts.set(item, found);
      if (found.length === count) complete++;
      if (complete === wanted) break;
    }
    const items = [...parts.values()].filter((found) => found.length === metadataOf(found[0]!).parts);
    return items.map(joined).sort(compare).slice(-limit);
  }

  #list(pageLength = Infinity) {
    const filter = {
      'metadata.openaiAgents.session': { eq: this.#id },
      ...Object.fromEntries(
        Object.entries(this.#scope).map(([key, value]) => [`scope.${key}`, { eq: value }]),
      ),
    };
    return this.#stratalog.memories.list({ filter, layer: ['session'], limit: Math.min(pageLength, 500) });
  }

  async #delete(ids: readonly string[]): Promise<void> {
    await inParallel(ids, async (id) => {
      try {
        await this.#stratalog.memories.delete(id);
      } catch (error) {
        // Somebody erased it in the meantime.
        if (!isProblem(error, 'not-found')) throw error;
      }
    });
  }
}

function metadataOf({ metadata }: StoredMemory): TurnMetadata {
  return metadata['openaiAgents'] as TurnMetadata;
}

function joined(memories: readonly StoredMemory[]): StoredItem {
  const parts = memories.map(metadataOf).sort((left, right) => left.part - right.part);
  return {
    ...parts[0]!,
    json: parts.map(({ json }) => json).join(''),
    memories: memories.map(({ id }) => id),
  };
}

function compare(left: TurnMetadata, right: TurnMetadata): number {
  if (left.turn !== right.turn) return left.turn - right.turn;
  if (left.call !== right.call) return left.call < right.call ? -1 : 1;
  return left.index - right.index;
}
