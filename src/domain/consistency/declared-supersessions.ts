import { innermostContainer } from '../layers.ts';
import { keyOf, type FieldValue } from '../routing/vocabulary.ts';
import type { Statement } from './statement.ts';
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

/** A memory says that it replaces, or is replaced by, the memory that `value` names. */
export interface Declaration {
  readonly field: string;
  readonly replaced: boolean;
  readonly value: string;
}

/**
 * Supersessions that `own` declares for `other`: a metadata field such as `superseded_by`, or a line of text such as
 * `Replaces: 517`, names the other memory by its id, externalId, scope container, or the value of a field in which they differ.
 */
export function declaredSupersessions(
  own: Statement,
  declarations: readonly Declaration[],
  other: Statement,
): Verdict[] {
  if (declarations.length === 0) return [];
  const names = namesOf(other, own);
  return declarations
    .filter(({ value }) => isNamedBy(names, value))
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
export function findDeclarations({ metadata, content }: Statement): Declaration[] {
  const found = new Map<string, Declaration>();
  const add = (field: string, name: string, value: unknown) => {
    const replaced = REPLACED.test(name);
    if (!replaced && !REPLACES.test(name)) return;
    for (const each of Array.isArray(value) ? (value as unknown[]) : [value])
      if (found.size < maxDeclarations && (typeof each === 'string' || typeof each === 'number'))
        found.set(JSON.stringify([field, replaced, each]), { field, replaced, value: String(each) });
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

/** Keys that name one memory but not the other. A whole value can match any key of `whole`; a path segment only those of `parts`. */
interface Names {
  readonly whole: ReadonlySet<string>;
  readonly parts: ReadonlySet<string>;
}

function namesOf(memory: Statement, other: Statement): Names {
  const names: FieldValue[] = [memory.id];
  const values: FieldValue[] = [];
  if (memory.externalId !== undefined) names.push(memory.externalId);
  // A container that holds both memories does not identify either of them.
  const container = innermostContainer(memory.scope);
  if (container && container.value !== other.scope[container.key]) names.push(container.value);
  for (const {
    field,
    values: [value, different],
  } of sharedFields(memory, other)) {
    if ((typeof value !== 'string' && typeof value !== 'number') || value === different) continue;
    const kind = fieldKind(field);
    if (kind === 'name') names.push(value);
    else if (kind === 'value') values.push(value);
  }
  return {
    whole: new Set([...names, ...values].map(keyOf)),
    parts: new Set(names.map(keyOf).filter(isDistinctive)),
  };
}

/** Checks the value, each item of a list, and each segment of a path. */
function isNamedBy({ whole, parts }: Names, value: string): boolean {
  return [value, ...value.split(/[,;]/)].some(
    (item) => whole.has(keyOf(item)) || item.split('/').some((part) => parts.has(keyOf(part))),
  );
}

/** Whether a key contains a letter. Plain numbers occur in many paths. */
function isDistinctive(key: string): boolean {
  return /\p{L}/u.test(key);
}
