import { innermostContainer } from '../layers.ts';
import { keyOf, type FieldValue } from '../routing/vocabulary.ts';
import type { Statement } from './statement.ts';
import { fieldKind, metadataLeaves, sharedFields } from './subject.ts';
import type { Verdict } from './verdict.ts';

/** A field or a line of that name says that the memory is replaced by another … */
const REPLACED = /^(?:superseded|replaced|obsoleted)[\s_-]*by$/i;
/** … and one of these that it replaces another. */
const REPLACES = /^(?:supersedes|replaces|obsoletes)$/i;

/** A long run of letters without a colon is gone through once: each part has one way to match. */
const LABEL = /^\s*([A-Za-z]+(?:[\s_-][A-Za-z]+)?)\s*:\s*(.*)$/;
const ITEM = /^\s*[-*]\s+(.*)$/;

/** Whatever ends a line: what is left of it has no end of a line for `.` to stop at. */
const LINE_ENDS = /\r\n?|[\n\u2028\u2029]/;

const confidence = 0.95;

/** Of one memory: each is looked for in each other one. */
const mostDeclarations = 100;

export interface Declaration {
  readonly field: string;
  readonly replaced: boolean;
  readonly value: string;
}

/**
 * What a memory says of another one: a metadata field such as `superseded_by`, or a line of its text such as
 * `Replaces: 517`, names the other by its id, externalId, place, or a value of a field in which the two differ.
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

/** What a memory says of itself about being replaced or replacing: the first hundred different things. */
export function findDeclarations({ metadata, content }: Statement): Declaration[] {
  const found = new Map<string, Declaration>();
  const add = (field: string, name: string, value: unknown) => {
    const replaced = REPLACED.test(name);
    if (!replaced && !REPLACES.test(name)) return;
    for (const each of Array.isArray(value) ? (value as unknown[]) : [value])
      if (found.size < mostDeclarations && (typeof each === 'string' || typeof each === 'number'))
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

/** Keys by which a memory can be named and the other one cannot: a whole value can be any of them, a part of a path a name. */
interface Names {
  readonly whole: ReadonlySet<string>;
  readonly parts: ReadonlySet<string>;
}

function namesOf(memory: Statement, other: Statement): Names {
  const names: FieldValue[] = [memory.id];
  const values: FieldValue[] = [];
  if (memory.externalId !== undefined) names.push(memory.externalId);
  // A place that has others in it names none of them.
  const place = innermostContainer(memory.scope);
  if (place && place.value !== other.scope[place.key]) names.push(place.value);
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
    parts: new Set(names.map(keyOf).filter(isTelling)),
  };
}

/** Of a list each item; of a path also its parts. */
function isNamedBy({ whole, parts }: Names, value: string): boolean {
  return [value, ...value.split(/[,;]/)].some(
    (item) => whole.has(keyOf(item)) || item.split('/').some((part) => parts.has(keyOf(part))),
  );
}

/** A number alone is part of many paths. */
function isTelling(key: string): boolean {
  return /\p{L}/u.test(key);
}
