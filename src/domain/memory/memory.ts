import { Problem } from '../problems.ts';
import { canonicalJson, mergePatch, type JsonObject } from '../json.ts';
import type { Layer, Scope } from '../layers.ts';
import type { Representations } from './content.ts';
import type { MemoryEvent } from './events.ts';
import { assertFits } from './size.ts';

/** The fields of a memory at one revision. */
export interface MemoryValue {
  readonly id: string;
  readonly externalId?: string;
  readonly content: string;
  readonly layer: Layer;
  readonly scope: Scope;
  readonly spaces: readonly string[];
  readonly tags: readonly string[];
  readonly metadata: JsonObject;
  readonly representations: Representations;
  readonly occurredAt?: string;
  readonly createdBy: string;
  readonly claim?: string;
}

export type MemoryState =
  | { readonly status: 'absent' }
  | { readonly status: 'active'; readonly value: MemoryValue }
  | { readonly status: 'deleted'; readonly value: MemoryValue; readonly retentionUntil: string }
  | { readonly status: 'erased' };

export const initialState: MemoryState = { status: 'absent' };

export function evolve(state: MemoryState, event: MemoryEvent): MemoryState {
  switch (event.type) {
    case 'MemoryStored': {
      const { memoryId, contentLength: _, ...value } = event.data;
      return { status: 'active', value: { id: memoryId, ...omitUndefined(value) } };
    }
    case 'MemoryUpdated': {
      if (state.status !== 'active') return state;
      const { memoryId: _, contentLength: __, ...changes } = event.data;
      return { status: 'active', value: { ...state.value, ...omitUndefined(changes) } };
    }
    case 'MemoryDeleted':
      return state.status === 'active'
        ? { status: 'deleted', value: state.value, retentionUntil: event.data.retentionUntil }
        : state;
    case 'MemoryRestored':
      return state.status === 'deleted' ? { status: 'active', value: state.value } : state;
    case 'MemoryErased':
      return { status: 'erased' };
    default:
      return event satisfies never;
  }
}

/** Removes keys whose value is undefined, which optional properties do not allow (`exactOptionalPropertyTypes`). */
function omitUndefined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as never;
}

export interface MemoryPatch {
  readonly content?: string;
  readonly spaces?: readonly string[];
  readonly tags?: readonly string[];
  /** Merge patch (RFC 7396); null removes all keys. */
  readonly metadata?: JsonObject | null;
  readonly representations?: JsonObject | null;
}

export type MemoryCommand =
  | { readonly type: 'store'; readonly value: MemoryValue }
  | { readonly type: 'update'; readonly patch: MemoryPatch }
  | { readonly type: 'delete'; readonly retentionUntil: Date }
  | { readonly type: 'restore'; readonly now: Date }
  | { readonly type: 'erase'; readonly keyId: string };

/**
 * The events that result from `command` for a memory in `state`; none if it changes nothing. Throws a `Problem` if the state
 * does not allow the command. Permissions are checked by the caller.
 */
export function decide(command: MemoryCommand, state: MemoryState): MemoryEvent[] {
  if (command.type === 'store') return store(command.value, state);
  if (state.status === 'absent') throw notFound();
  if (command.type === 'erase') return erase(command.keyId, state);
  if (state.status === 'erased') throw notFound();
  switch (command.type) {
    case 'update':
      return update(command.patch, state);
    case 'delete':
      if (state.status === 'deleted') return [];
      return [
        {
          type: 'MemoryDeleted',
          data: { memoryId: state.value.id, retentionUntil: command.retentionUntil.toISOString() },
        },
      ];
    case 'restore':
      if (state.status === 'active') return [];
      if (command.now.toISOString() > state.retentionUntil) {
        throw new Problem('retention-over', `the memory could be restored until ${state.retentionUntil}`);
      }
      return [{ type: 'MemoryRestored', data: { memoryId: state.value.id } }];
    default:
      return command satisfies never;
  }
}

function store(value: MemoryValue, state: MemoryState): MemoryEvent[] {
  if (state.status !== 'absent')
    throw new Error(`memory ${value.id} already exists: storing requires a new id`);
  const { id, ...rest } = value;
  return [
    {
      type: 'MemoryStored',
      data: {
        memoryId: id,
        contentLength: value.content.length,
        ...rest,
        spaces: [...value.spaces],
        tags: [...value.tags],
      },
    },
  ];
}

function erase(keyId: string, state: Exclude<MemoryState, { status: 'absent' }>): MemoryEvent[] {
  if (state.status === 'erased') return [];
  const { id, claim } = state.value;
  return [{ type: 'MemoryErased', data: { memoryId: id, keyId, ...(claim !== undefined && { claim }) } }];
}

function update(
  patch: MemoryPatch,
  state: Exclude<MemoryState, { status: 'absent' | 'erased' }>,
): MemoryEvent[] {
  if (state.status === 'deleted') throw new Problem('memory-deleted', 'a deleted memory cannot be changed');
  const { value } = state;
  const isChanged = <T>(next: T | undefined, current: T): next is T =>
    next !== undefined && canonicalJson(next) !== canonicalJson(current);
  const metadata =
    patch.metadata === undefined
      ? undefined
      : mergePatch(value.metadata, patch.metadata ?? deleteAllKeys(value.metadata));
  const representations =
    patch.representations === undefined
      ? undefined
      : (mergePatch(
          value.representations,
          patch.representations ?? deleteAllKeys(value.representations),
        ) as Representations);
  const changes = {
    ...(isChanged(patch.content, value.content) && {
      content: patch.content,
      contentLength: patch.content.length,
    }),
    ...(isChanged(patch.spaces, value.spaces) && { spaces: [...patch.spaces] }),
    ...(isChanged(patch.tags, value.tags) && { tags: [...patch.tags] }),
    ...(isChanged(metadata, value.metadata) && { metadata }),
    ...(isChanged(representations, value.representations) && { representations }),
  };
  if (Object.keys(changes).length === 0) return [];
  assertFits({ ...value, ...changes }, Object.keys(patch));
  return [{ type: 'MemoryUpdated', data: { memoryId: value.id, ...changes } }];
}

/** A merge patch that removes every key of `value`. */
function deleteAllKeys(value: object): JsonObject {
  return Object.fromEntries(Object.keys(value).map((key) => [key, null]));
}

function notFound(): Problem {
  return new Problem('not-found', 'no such memory');
}
