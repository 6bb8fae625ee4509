import { invalid, Problem } from '../problems.ts';
import { canonicalJson, mergePatch, type JsonObject } from '../json.ts';
import { scopeKeys, type Layer, type Scope } from '../layers.ts';
import type { Representations } from './content.ts';
import { isWithheld, type Trust, type TrustSource } from '../trust/trust.ts';
import type { DeletionCause, MemoryEvent } from './events.ts';
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
  /** The document whose section it is. */
  readonly documentId?: string;
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
  | { readonly status: 'archived'; readonly value: MemoryValue }
  | {
      readonly status: 'deleted';
      readonly value: MemoryValue;
      readonly retentionUntil: string;
      readonly because?: DeletionCause | undefined;
    }
  | { readonly status: 'erased' };

/** A memory that was stored and is not erased. */
export type LiveState = Extract<MemoryState, { readonly value: MemoryValue }>;

export function hasValue(state: MemoryState): state is LiveState {
  return state.status !== 'absent' && state.status !== 'erased';
}

export const initialState: MemoryState = { status: 'absent' };

export function evolve(state: MemoryState, event: MemoryEvent): MemoryState {
  switch (event.type) {
    case 'MemoryStored': {
      const { memoryId, contentLength: _, contentBytes: __, ...value } = event.data;
      return { status: 'active', value: { id: memoryId, ...omitUndefined(value) } };
    }
    case 'MemoryUpdated': {
      if (state.status !== 'active' && state.status !== 'archived') return state;
      const { memoryId: _, contentLength: __, contentBytes: ___, ...changes } = event.data;
      return { status: state.status, value: withChanges(state.value, changes) };
    }
    case 'MemoryDeleted': {
      if (state.status !== 'active' && state.status !== 'archived') return state;
      const { retentionUntil, because } = event.data;
      return { status: 'deleted', value: state.value, retentionUntil, because };
    }
    case 'MemoryRestored':
      return state.status === 'deleted' ? { status: 'active', value: state.value } : state;
    case 'MemoryArchived':
      return state.status === 'active' ? { status: 'archived', value: state.value } : state;
    case 'MemoryUnarchived':
      return state.status === 'archived' ? { status: 'active', value: state.value } : state;
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
export type MemoryReplacement = Omit<MemoryValue, 'id' | 'createdBy' | 'claim' | 'externalId' | 'documentId'>;

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

interface UpdateMemory {
  readonly type: 'update';
  readonly patch: MemoryPatch;
  /** Where a new text comes from; by default, from the caller. */
  readonly source?: TrustSource;
  /** Whether somebody has overruled what its spaces accept. */
  readonly isAccepted?: boolean;
}

export type MemoryCommand =
  | { readonly type: 'store'; readonly value: MemoryValue }
  | { readonly type: 'replace'; readonly value: MemoryReplacement; readonly source?: TrustSource | undefined }
  | UpdateMemory
  | { readonly type: 'delete'; readonly retentionUntil: Date; readonly because?: DeletionCause | undefined }
  | { readonly type: 'archive' }
  | { readonly type: 'unarchive' }
  /** Takes the label of a space from a memory. */
  | { readonly type: 'detach'; readonly space: string }
  | { readonly type: 'flag'; readonly trust: Trust }
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
          data: {
            memoryId: state.value.id,
            retentionUntil: command.retentionUntil.toISOString(),
            ...(command.because && { because: command.because }),
          },
        },
      ];
    case 'restore':
      return restore(command.now, state);
    case 'archive':
      if (state.status === 'archived') return [];
      return [{ type: 'MemoryArchived', data: { memoryId: activeValue(state).id } }];
    case 'unarchive':
      if (state.status === 'deleted') throw deleted();
      return state.status === 'active'
        ? []
        : [{ type: 'MemoryUnarchived', data: { memoryId: state.value.id } }];
    case 'detach':
      return detach(command.space, state);
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
  const { id, claim, documentId } = state.value;
  const named = { ...(claim !== undefined && { claim }), ...(documentId !== undefined && { documentId }) };
  return [{ type: 'MemoryErased', data: { memoryId: id, keyId, ...named } }];
}

function update(patch: MemoryPatch, state: LiveState): MemoryEvent[] {
  const value = activeValue(state);
  const next = fieldsAfter(patch, value);
  const events = changesByCaller(value, next);
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
  return changesByCaller(value, { ...next, expiresAt, retention });
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

/** The same for what a caller changes: what rules noticed accompanies a change, and is none by itself. */
function changesByCaller(value: MemoryValue, next: Partial<MutableFields>): MemoryEvent[] {
  const { trust: _, pii: __, ...own } = next;
  return changesOf(value, own).length === 0 ? [] : changesOf(value, next);
}

function sizeOf(content: string): { readonly contentLength: number; readonly contentBytes: number } {
  return { contentLength: content.length, contentBytes: Buffer.byteLength(content) };
}

/**
 * Makes a deleted memory active again. What deleted it because of its age would do so again at once, so the memory loses a time of expiry
 * that is over, and one that the retention of its spaces deleted is kept from now on.
 */
function restore(now: Date, state: LiveState): MemoryEvent[] {
  if (state.status !== 'deleted') return [];
  const { value, retentionUntil, because } = state;
  if (isWithheld(value))
    throw new Problem('awaits-review', 'a memory that no reviewer has approved cannot be restored');
  const { id: memoryId, expiresAt } = value;
  if (now.toISOString() > retentionUntil)
    throw new Problem('retention-over', `the memory could be restored until ${retentionUntil}`);
  const isExpired = expiresAt !== undefined && expiresAt <= now.toISOString();
  return [
    { type: 'MemoryRestored', data: { memoryId } },
    ...(isExpired ? changesOf(value, { expiresAt: null }) : []),
    ...(because === 'retention' ? changesOf(value, { retention: 'keep' }) : []),
  ];
}

/** A deleted memory keeps the label: it is in no space until it is restored. */
function detach(space: string, { status, value }: LiveState): MemoryEvent[] {
  if (status === 'deleted') return [];
  return changesOf(value, { spaces: value.spaces.filter((label) => label !== space) });
}

function activeValue({ status, value }: LiveState): MemoryValue {
  if (status === 'deleted') throw deleted();
  if (status === 'archived')
    throw new Problem('memory-archived', 'an archived memory cannot be changed: unarchive it first');
  return value;
}

function deleted(): Problem {
  return new Problem('memory-deleted', 'a deleted memory cannot be changed');
}

/** A merge patch that removes every key of `value`. */
function deleteAllKeys(value: object): JsonObject {
  return Object.fromEntries(Object.keys(value).map((key) => [key, null]));
}

function notFound(): Problem {
  return new Problem('not-found', 'no such memory');
}
