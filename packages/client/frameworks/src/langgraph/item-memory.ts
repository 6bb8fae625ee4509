import type { Item } from '@langchain/langgraph';
import type { PutMemory, StoredMemory } from '@stratalog/client';
import { isBlank, isStorableText, storableText } from '../storable-text.ts';
import { pathsTo } from './item-id.ts';
import { itemText } from './item-text.ts';

/** Levels of a value, of the 32 that metadata may have. */
const deepest = 30;

/** What the metadata of a memory say about the item that it is. The value is beside it, at `metadata.value`. */
interface ItemMetadata {
  /** `itemId`: the same for all memories that were this item, one after the other. */
  readonly item: string;
  readonly namespace: readonly string[];
  readonly key: string;
  /** The paths of its namespace and of all namespaces that this lies in. */
  readonly within: readonly string[];
  /** False if the item is left out of searches by text. */
  readonly indexed: boolean;
  /** The exact value, if the server would refuse it as metadata. */
  readonly json?: string;
}

export interface PutItem {
  readonly store: string;
  readonly id: string;
  readonly namespace: readonly string[];
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
  /** Paths of the fields to search; false for none. */
  readonly index: false | readonly string[] | undefined;
}

/** The memory that holds an item: its text is searched, and the value is kept exactly. */
export function memoryOfItem({ store, id, namespace, key, value, index }: PutItem): PutMemory {
  const json = JSON.stringify(value);
  const plain = JSON.parse(json) as Record<string, unknown>;
  const isStorable = isStorableJson(plain, deepest);
  const about: ItemMetadata = {
    item: id,
    namespace,
    key: storableText(key),
    within: pathsTo(store, namespace),
    indexed: index !== false,
    ...((!isStorable || !isStorableText(key)) && { json: JSON.stringify({ key, value: plain }) }),
  };
  const text = index === false ? '' : storableText(itemText(plain, index));
  return {
    content: isBlank(text) ? id : text,
    metadata: { langgraph: about, value: isStorable ? plain : storablePart(plain) },
  };
}

/** The item that a memory holds. */
export function itemOfMemory({ metadata, createdAt, updatedAt }: StoredMemory): Item {
  const { namespace, key, json } = metadata['langgraph'] as ItemMetadata;
  const exact = json === undefined ? { key, value: metadata['value'] } : (JSON.parse(json) as Exact);
  return {
    namespace: [...namespace],
    key: exact.key,
    value: exact.value as Item['value'],
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
  };
}

/** `itemId` of the item that a memory holds. */
export function idOfItem(metadata: StoredMemory['metadata']): string {
  return (metadata['langgraph'] as ItemMetadata).item;
}

interface Exact {
  readonly key: string;
  readonly value: unknown;
}

/** Whether the server takes it as it is. */
function isStorableJson(value: unknown, levels: number): boolean {
  if (typeof value === 'string') return isStorableText(value);
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  return Object.entries(value).every(
    ([key, item]) => key !== '__proto__' && isStorableText(key) && isStorableJson(item, levels - 1),
  );
}

/** The fields that filters can still test. */
function storablePart(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).filter(([key, item]) => isStorableJson({ [key]: item }, 1)),
  );
}
