import { invalid, Problem } from '../problems.ts';
import { canonicalJson, mergePatch, type JsonObject } from '../json.ts';
import { scopeKeys, type Layer, type Scope } from '../layers.ts';
import type { Representations } from './content.ts';
import { isWithheld, type Trust, type TrustSource } from '../trust/trust.ts';
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
  /** When it is to be soft-deleted, as an ISO time in UTC. */
  readonly expiresAt?: string;
  /** `keep`: neither `expiresAt` nor the retention of a space deletes it. */
  readonly retention?: 'keep';
  readonly trust?: Trust;
  /** Personal data in the content, by type and place. */
  readonly pii?: PersonalData[];
  readonly createdBy: string;
  readonly claim?: string;
}

export type PersonalData = {
  readonly type: string;
  /** Place in the content, in UTF-16 units; the end is exclusive. */
  readonly start: number;
  readonly end: number;
};

export type MemoryState =
  | { readonly status: 'absent' }
  | { readonly status: 'active'; readonly value: MemoryValue }
  | { readonly status: 'deleted'; readonly value: MemoryValue; readonly retentionUntil: string }
  | { readonly status: 'erased' };

export const initialState: MemoryState = { status: 'absent' };

export function evolve(state: MemoryState, event: MemoryEvent): MemoryState {
  switch (event.type) {
    case 'MemoryStored': {
      const { memoryId, contentLength: _, contentBytes: __, ...value } = event.data;
      return { status: 'active', value: { id: memoryId, ...omitUndefined(value) } };
    }
    case 'MemoryUpdated': {
      if (state.status !== 'active') return state;
      const { memoryId: _, contentLength: __, contentBytes: ___, ...changes } = event.data;
      return { status: 'active', value: withChanges(state.value, changes) };
    }
    case 'MemoryDeleted':
      return state.status === 'active'
        ? { status: 'deleted', value: state.value, retentionUntil: event.data.retentionUntil }
        : state;
    case 'MemoryRestored':
      return state.status === 'deleted' ? { status: 'active', value: state.value } : state;
    case 'MemoryReviewed':
      if (state.status === 'absent' || state.status === 'erased') return state;
      return { ...state, value: { ...state.value, trust: event.data.trust } };
    case 'MemoryErased':
      return { status: 'erased' };
    default:
      return event satisfies never;
  }
}

/** What is undefined stays as it is; what is null is removed. */
function withChanges(
  value: MemoryValue,
  changes: { readonly [Field in keyof MemoryValue]?: unknown },
): MemoryValue {
  const next = Object.entries({ ...value, ...omitUndefined(changes) });
  return Object.fromEntries(next.filter(([, item]) => item !== null)) as unknown as MemoryValue;
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
  /** null: it does not expire. */
  readonly expiresAt?: string | null;
  readonly retention?: 'keep' | null;
  /** Found in the content; only together with it. */
  readonly pii?: PersonalData[];
  readonly trust?: Trust;
}

/** Values that a memory may be replaced with; what is immutable must agree with the memory. */
export type MemoryReplacement = Omit<MemoryValue, 'id' | 'createdBy' | 'claim' | 'externalId'>;

interface MutableFields {
  readonly content: string;
  readonly spaces: readonly string[];
  readonly tags: readonly string[];
  readonly metadata: JsonObject;
  readonly representations: Representations;
  readonly expiresAt: string | null;
  readonly retention: 'keep' | null;
  readonly trust: Trust;
  readonly pii: PersonalData[];
}

export type MemoryCommand =
  | { readonly type: 'store'; readonly value: MemoryValue }
  | { readonly type: 'replace'; readonly value: MemoryReplacement; readonly source?: TrustSource | undefined }
  | { readonly type: 'update'; readonly patch: MemoryPatch }
  | { readonly type: 'flag'; readonly trust: Trust }
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
    case 'replace':
      return replace(command.value, state);
    case 'flag':
      return changesOf(activeValue(state), { trust: command.trust });
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
      if (isWithheld(state.value))
        throw new Problem('awaits-review', 'a memory that no reviewer has approved cannot be restored');
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
        ...sizeOf(value.content),
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

function update(patch: MemoryPatch, state: LiveState): MemoryEvent[] {
  const value = activeValue(state);
  const next = fieldsAfter(patch, value);
  const events = changesOf(value, next);
  if (events.length > 0) assertFits({ ...value, ...next }, Object.keys(patch));
  return events;
}

/** The memory as the patch would leave it. */
export function patchedValue(value: MemoryValue, patch: MemoryPatch): MemoryValue {
  return withChanges(value, fieldsAfter(patch, value));
}

/** The new values of the fields that the patch names. */
function fieldsAfter(patch: MemoryPatch, value: MemoryValue): Partial<MutableFields> {
  const { metadata, representations, ...replaced } = patch;
  return {
    ...omitUndefined(replaced),
    ...(metadata !== undefined && {
      metadata: mergePatch(value.metadata, metadata ?? deleteAllKeys(value.metadata)),
    }),
    ...(representations !== undefined && {
      representations: mergePatch(
        value.representations,
        representations ?? deleteAllKeys(value.representations),
      ),
    }),
  };
}

/** Replaces every mutable field. The caller has checked the size of the whole value. */
function replace(next: MemoryReplacement, state: LiveState): MemoryEvent[] {
  const value = activeValue(state);
  assertSamePlace(next, value);
  const { expiresAt = null, retention = null } = next;
  return changesOf(value, { ...next, expiresAt, retention });
}

/** Throws if an immutable field would change. A time of occurrence that is left out stays as it is. */
function assertSamePlace({ layer, scope, occurredAt }: MemoryReplacement, value: MemoryValue): void {
  if (layer !== value.layer)
    throw invalid('layer', `is immutable: the memory is of the layer ${value.layer}`);
  for (const key of scopeKeys) {
    if (scope[key] === value.scope[key]) continue;
    const present = value.scope[key];
    throw invalid(
      `scope.${key}`,
      present === undefined
        ? `is immutable: the memory has no ${key}`
        : `is immutable: the memory is in the ${key} ${present}`,
    );
  }
  if (occurredAt !== undefined && occurredAt !== value.occurredAt) {
    throw invalid('occurredAt', `is immutable: the memory has ${value.occurredAt ?? 'none'}`);
  }
}

/** The event that gives these fields their new values; none if all have them already. */
function changesOf(value: MemoryValue, next: Partial<MutableFields>): MemoryEvent[] {
  const isChanged = <T>(changed: T | undefined, current: T): changed is T =>
    changed !== undefined && canonicalJson(changed) !== canonicalJson(current);
  const { expiresAt = null, retention = null, trust, pii = [] } = value;
  const changes = {
    ...(isChanged(next.content, value.content) && { content: next.content, ...sizeOf(next.content) }),
    ...(isChanged(next.spaces, value.spaces) && { spaces: [...next.spaces] }),
    ...(isChanged(next.tags, value.tags) && { tags: [...next.tags] }),
    ...(isChanged(next.metadata, value.metadata) && { metadata: next.metadata }),
    ...(isChanged(next.representations, value.representations) && { representations: next.representations }),
    ...(isChanged(next.expiresAt, expiresAt) && { expiresAt: next.expiresAt }),
    ...(isChanged(next.retention, retention) && { retention: next.retention }),
    ...(isChanged(next.trust, trust) && { trust: next.trust }),
    ...(isChanged(next.pii, pii) && { pii: next.pii }),
  };
  if (Object.keys(changes).length === 0) return [];
  return [{ type: 'MemoryUpdated', data: { memoryId: value.id, ...changes } }];
}

function sizeOf(content: string): { readonly contentLength: number; readonly contentBytes: number } {
  return { contentLength: content.length, contentBytes: Buffer.byteLength(content) };
}

type LiveState = Exclude<MemoryState, { status: 'absent' | 'erased' }>;

function activeValue({ status, value }: LiveState): MemoryValue {
  if (status === 'deleted') throw new Problem('memory-deleted', 'a deleted memory cannot be changed');
  return value;
}

/** A merge patch that removes every key of `value`. */
function deleteAllKeys(value: object): JsonObject {
  return Object.fromEntries(Object.keys(value).map((key) => [key, null]));
}

function notFound(): Problem {
  return new Problem('not-found', 'no such memory');
}
