/** A version that can be compared with others of its kind. */
export interface Version {
  readonly kind: 'numbers' | 'season';
  /** The most significant number first. */
  readonly numbers: readonly number[];
  /** Whether it precedes the release of the same number, such as `2.0-rc.1`. */
  readonly isPrerelease: boolean;
}

/** The order in a year of the Salesforce releases, which are named after seasons: Winter '25 is the first one of 2025. */
const seasons: readonly string[] = ['winter', 'spring', 'summer', 'fall', 'autumn'];

const season = /\b(winter|spring|summer|fall|autumn)[\s_'’.-]{0,3}(\d{4}|\d{2})\b/i;
const numbered =
  /^(?:version|release|api|v|r)?[\s_.-]{0,2}(\d{1,9}(?:[._-]\d{1,9}){0,5})(?:[.-]?(alpha|beta|rc|pre|preview|dev|snapshot)[\w.-]{0,32})?$/i;
/** A version in a sentence: with a dot in it, or after a word that says what the number is. */
const numberedInText =
  /(?<![\w.])(?:(?:version|release|api|v)[\s_.-]{0,2}(\d{1,9}(?:\.\d{1,9}){0,5})|(\d{1,9}(?:\.\d{1,9}){1,5}))(?![\w])/gi;

/** Reads the value of a metadata field as a version; undefined if it is none that can be compared. */
export function parseVersion(value: unknown): Version | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || text.length > 64) return undefined;
  const named = season.exec(text.replaceAll('_', ' '));
  if (named) return seasonOf(named);
  const [, digits, prerelease] = numbered.exec(text.trim()) ?? [];
  return digits === undefined ? undefined : numbersOf(digits, prerelease !== undefined);
}

/** Positive if `left` is later than `right`; undefined if they cannot be compared. */
export function compareVersions(left: Version, right: Version): number | undefined {
  if (left.kind !== right.kind) return undefined;
  const length = Math.max(left.numbers.length, right.numbers.length);
  for (let at = 0; at < length; at++) {
    const difference = (left.numbers[at] ?? 0) - (right.numbers[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return Number(right.isPrerelease) - Number(left.isPrerelease);
}

/** The versions that a question names. */
export function versionsIn(question: string): readonly Version[] {
  const named = [...question.matchAll(new RegExp(season, 'gi'))].map(seasonOf);
  const numbers = [...question.matchAll(numberedInText)].map(([, after, dotted]) =>
    numbersOf(after ?? dotted!, false),
  );
  return [...named, ...numbers];
}

/** A title without the version in it, so that the titles of two versions of a document are equal. */
export function withoutVersion(title: string): string {
  return title
    .replaceAll(new RegExp(season, 'gi'), ' ')
    .replaceAll(numberedInText, ' ')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase();
}

function seasonOf([, name, year]: RegExpMatchArray): Version {
  const order = Math.min(seasons.indexOf(name!.toLowerCase()), 3);
  const full = Number(year) < 100 ? 2000 + Number(year) : Number(year);
  return { kind: 'season', numbers: [full, order], isPrerelease: false };
}

function numbersOf(digits: string, isPrerelease: boolean): Version {
  return { kind: 'numbers', numbers: digits.split(/[._-]/).map(Number), isPrerelease };
}
