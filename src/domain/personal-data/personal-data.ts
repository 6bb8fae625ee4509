import { findEmails, findIps } from './addresses.ts';
import { findNationalIds } from './national-ids.ts';
import { findCards, findIbans } from './payment.ts';
import type { PersonalDataType } from './policy.ts';
import { findSecrets } from './secrets.ts';

/** Something that was found in a text, and its place in UTF-16 units; the end is exclusive. */
export interface PersonalDatum {
  readonly type: PersonalDataType;
  readonly start: number;
  readonly end: number;
}

/** Finds all data of a type. Phone numbers and known forms of secrets need libraries, and are found elsewhere. */
const recognisers = {
  email: findEmails,
  card: findCards,
  iban: findIbans,
  'national-id': findNationalIds,
  ip: findIps,
  secret: findSecrets,
} as const satisfies Partial<Record<PersonalDataType, (text: string) => Iterable<PersonalDatum>>>;

/** What these recognisers find of the wanted types. */
export function findPersonalData(text: string, wanted: readonly PersonalDataType[]): PersonalDatum[] {
  return Object.entries(recognisers).flatMap(([type, find]) =>
    wanted.includes(type as PersonalDataType) ? [...find(text)] : [],
  );
}

/** Types by how sure a find is, the surest first. */
const surest: readonly PersonalDataType[] = ['secret', 'email', 'iban', 'card', 'national-id', 'ip', 'phone'];

/** In the order of the text, without overlaps: of two that share a place, the surer type stays, then the longer. */
export function withoutOverlaps(found: readonly PersonalDatum[]): PersonalDatum[] {
  const isSurer = (one: PersonalDatum, other: PersonalDatum) =>
    surest.indexOf(one.type) < surest.indexOf(other.type) ||
    (one.type === other.type && one.end - one.start > other.end - other.start);
  const kept: PersonalDatum[] = [];
  for (const each of found.toSorted((one, other) => one.start - other.start)) {
    const last = kept.at(-1);
    if (!last || last.end <= each.start) kept.push(each);
    else if (isSurer(each, last)) kept[kept.length - 1] = each;
  }
  return kept;
}

/**
 * The text with a placeholder such as `[card-1]` for each datum of the types that are redacted; the same value has the same number. The data that
 * stay have their new places.
 */
export function redacted(
  text: string,
  data: readonly PersonalDatum[],
  isRedacted: (type: PersonalDataType) => boolean,
): { readonly text: string; readonly data: PersonalDatum[] } {
  const numbers = new Map<string, number>();
  const counts = new Map<PersonalDataType, number>();
  const stay: PersonalDatum[] = [];
  let result = '';
  let at = 0;
  for (const { type, start, end } of data) {
    result += text.slice(at, start);
    at = end;
    const value = text.slice(start, end);
    if (!isRedacted(type)) {
      stay.push({ type, start: result.length, end: result.length + value.length });
      result += value;
      continue;
    }
    const key = `${type} ${value}`;
    const number = numbers.get(key) ?? (counts.get(type) ?? 0) + 1;
    if (!numbers.has(key)) counts.set(type, number);
    numbers.set(key, number);
    result += `[${type}-${number}]`;
  }
  return { text: result + text.slice(at), data: stay };
}
