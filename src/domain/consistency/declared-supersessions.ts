import type { JsonObject } from '../json.ts';
import { innermostContainer } from '../layers.ts';
import { keyOf, type FieldValue } from '../routing/vocabulary.ts';
import type { ComparableMemory } from './comparable-memory.ts';
import { fieldKind, metadataLeaves, sharedFields } from './metadata-fields.ts';
import type { Verdict } from './verdict.ts';

/** Field or line names that say which memory replaces this one. */
const REPLACED = /^(?:superseded|replaced|obsoleted)[\s_-]*by$/i;
/** Field or line names that say which memory this one replaces. */
const REPLACES = /^(?:supersedes|replaces|obsoletes)$/i;

/** Has only one way to match each part, so that a long run of letters without a colon takes linear time. */
const LABEL = /^\s*([A-Za-z]+(?:[\s_-][A-Za-z]+)?)\s*:\s*(.*)$/;
const ITEM = /^\s*[-*]\s+(.*)$/;

/** All line terminators at which `.` in a regular expression stops. */
const LINE_ENDS = /\r\n?|[\n\u2028\u2029]/;

const confidence = 0.95;

/** Maximum per memory, since each declaration is compared with every other memory. */
const maxDeclarations = 100;
/** In UTF-16 units: a list of a hundred ids. Longer texts name no memory. */
const maxNameLength = 4_000;

/** A memory says that it replaces, or is replaced by, the memory that `value` names. */
export interface Declaration {
  readonly field: string;
  readonly replaced: boolean;
  readonly value: string;
  /** What the value can name, prepared once because each declaration is compared with every other memory. */
  readonly keys: Keys;
}

/** Keys of names. */
interface Keys {
  readonly whole: ReadonlySet<string>;
  /** Of the segments of paths. */
  readonly parts: ReadonlySet<string>;
}

/**
 * Supersessions that `own` declares for `other`: a metadata field such as `superseded_by`, or a line of text such as
 * `Replaces: 517`, names the other memory by its id, externalId, scope container, or the value of a field in which they differ.
 */
export function declaredSupersessions(
  own: ComparableMemory,
  declarations: readonly Declaration[],
  other: ComparableMemory,
): Verdict[] {
  if (declarations.length === 0) return [];
  const names = namesOf(other, own);
  return declarations
    .filter(({ keys }) => isNamedBy(names, keys))
    .map(({ field, replaced, value }) => {
      const [older, newer] = replaced ? [own.id, other.id] : [other.id, own.id];
      const detail = `${field} of ${own.id} names ${other.id}: ${JSON.stringify(value)}`;
      return {
        kind: 'supersession',
        older,
        newer,
        reason: { code: 'declared', detail, confidence, field, value },
      };
    });
}

/** The first 100 distinct declarations of a memory, from its metadata and content. */
export function findDeclarations({ metadata, content }: ComparableMemory): Declaration[] {
  const found = new Map<string, Declaration>();
  const add = (field: string, name: string, value: unknown) => {
    const replaced = REPLACED.test(name);
    if (!replaced && !REPLACES.test(name)) return;
    for (const each of Array.isArray(value) ? (value as unknown[]) : [value])
      if (found.size < maxDeclarations && isName(each))
        found.set(JSON.stringify([field, replaced, each]), declaration(field, replaced, String(each)));
  };
  for (const [field, value] of metadataLeaves(metadata))
    add(field, field.slice(field.lastIndexOf('.') + 1), value);
  let label: string | undefined;
  for (const line of content.split(LINE_ENDS)) {
    const labelled = LABEL.exec(line);
    const item = labelled ? undefined : ITEM.exec(line);
    if (labelled) label = labelled[1]!;
    else if (!item) label = undefined;
    const value = labelled?.[2] ?? item?.[1] ?? '';
    if (label !== undefined && value.trim() !== '') add('content', label, value);
  }
  return [...found.values()];
}

function isName(value: unknown): value is string | number {
  return typeof value === 'number' || (typeof value === 'string' && value.length <= maxNameLength);
}

/** The value, each item of a list, and each segment of a path can name a memory. */
function declaration(field: string, replaced: boolean, value: string): Declaration {
  const items = [value, ...value.split(/[,;]/)];
  const parts = items.flatMap((item) => item.split('/'));
  const keys = { whole: new Set(items.map(keyOf)), parts: new Set(parts.map(keyOf)) };
  return { field, replaced, value, keys };
}

/** Keys that name one memory but not the other. A whole value can match any key of `whole`; a path segment only those of `parts`. */
function namesOf(memory: ComparableMemory, other: ComparableMemory): Keys {
  const names = [keyOf(memory.id)];
  const values: string[] = [];
  if (memory.externalId !== undefined) names.push(keyOf(memory.externalId));
  // A container that holds both memories does not identify either of them.
  const container = innermostContainer(memory.scope);
  if (container && container.value !== other.scope[container.key]) names.push(keyOf(container.value));
  for (const {
    field,
    values: [value, different],
  } of sharedFields(memory, other)) {
    if (!isName(value) || value === different) continue;
    const kind = fieldKind(field);
    if (kind === 'name') names.push(keyOfField(memory.metadata, field, value));
    else if (kind === 'value') values.push(keyOfField(memory.metadata, field, value));
  }
  return { whole: new Set([...names, ...values]), parts: new Set(names.filter(isDistinctive)) };
}

/** Cache: each memory is compared with many others. */
const knownKeys = new WeakMap<JsonObject, Map<string, string>>();

function keyOfField(metadata: JsonObject, field: string, value: FieldValue): string {
  const keys = knownKeys.get(metadata) ?? new Map<string, string>();
  knownKeys.set(metadata, keys);
  const key = keys.get(field) ?? keyOf(value);
  keys.set(field, key);
  return key;
}

function isNamedBy({ whole, parts }: Keys, keys: Keys): boolean {
  return [...whole].some((key) => keys.whole.has(key)) || [...parts].some((key) => keys.parts.has(key));
}

/** Whether a key contains a letter. Plain numbers occur in many paths. */
function isDistinctive(key: string): boolean {
  return /\p{L}/u.test(key);
}
