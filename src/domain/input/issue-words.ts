import { z } from 'zod';
import { allowedBy, choice, grouped, numberAllowedBy } from './schema-words.ts';

type RawIssue = z.core.$ZodRawIssue;

/** A message names no more unknown fields: a body may have thousands. */
const mostUnknown = 20;

/**
 * The message for every kind of issue that zod reports: what is wrong with a value and what is allowed. It follows the path of the
 * field, as in `topK: must be an integer from 1 to 1,000`. Pass this function as `error` to `parse` or `safeParse` if callers will read
 * the message. A message set in a schema takes precedence.
 */
export const inOwnWords: z.core.$ZodErrorMap = (issue) =>
  issue.input === undefined ? 'is required' : words(issue);

/** Of a required list that may be empty: says when to send an empty one. */
export const requiredList =
  (whenEmpty: string): z.core.$ZodErrorMap<z.core.$ZodIssueInvalidType> =>
  ({ input }) =>
    input === undefined ? `is required: send [] ${whenEmpty}` : undefined;

function words(issue: RawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(issue);
    case 'invalid_value':
      return `must be ${choice(issue.values)}`;
    case 'too_big':
      return tooBig(issue);
    case 'too_small':
      return tooSmall(issue);
    case 'invalid_format':
      return wrongFormat(issue);
    case 'not_multiple_of':
      return `must be a multiple of ${grouped(issue.divisor)}`;
    case 'unrecognized_keys':
      return `has unknown fields: ${issue.keys.slice(0, mostUnknown).join(', ')}`;
    case 'invalid_union':
      return noAlternative(issue);
    case 'invalid_key':
      return `is not an allowed name: ${firstOf(issue.issues)}`;
    case 'invalid_element':
      return `has an item that is not allowed: ${firstOf(issue.issues)}`;
    case 'custom':
    default:
      return 'is not valid';
  }
}

type Issue<Code extends RawIssue['code']> = Extract<RawIssue, { code: Code }>;

function wrongType({ expected, input, ...issue }: Issue<'invalid_type'>): string {
  const owner = ownerOf(issue);
  const allowed = (owner && allowedBy(owner)) ?? typeWords[expected];
  return allowed === undefined ? 'is not valid' : `must be ${allowed}, not ${given(input)}`;
}

/** For issues that a check has raised without a schema, by the type that it expected. */
const typeWords: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

function given(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number') return numberGiven(value);
  return (
    { string: 'text', boolean: 'a boolean', object: 'an object' }[typeof value as string] ?? typeof value
  );
}

/** JSON has numbers that are too large for a double, such as 1e999. */
function numberGiven(value: number): string {
  if (!Number.isFinite(value)) return 'a number that is too large';
  return Number.isInteger(value) ? 'a number' : 'a fraction';
}

function tooBig(issue: Issue<'too_big'>): string {
  const { origin, input, maximum, inclusive = true, exact = false } = issue;
  const size = sizeOf(origin, input);
  if (!size)
    return `must be ${numberIn(issue) ?? `${inclusive ? 'at most' : 'less than'} ${limitOf(origin, maximum)}`}`;
  return `has ${counted(size.size, size.unit)}: ${exact ? needed('exactly', maximum, size.unit) : allowed(maximum)}`;
}

function tooSmall(issue: Issue<'too_small'>): string {
  const { origin, input, minimum, inclusive = true, exact = false } = issue;
  const size = sizeOf(origin, input);
  if (!size)
    return `must be ${numberIn(issue) ?? `${inclusive ? 'at least' : 'more than'} ${limitOf(origin, minimum)}`}`;
  const has = size.size === 0 ? 'is empty' : `has ${counted(size.size, size.unit)}`;
  return `${has}: ${needed(exact ? 'exactly' : 'at least', minimum, size.unit)}`;
}

function allowed(maximum: number | bigint): string {
  return `at most ${grouped(maximum)} ${Number(maximum) === 1 ? 'is' : 'are'} allowed`;
}

function needed(how: string, count: number | bigint, unit: string): string {
  return `${how} ${counted(count, unit)} ${Number(count) === 1 ? 'is' : 'are'} needed`;
}

function limitOf(origin: string, limit: number | bigint): string {
  return origin === 'date' ? new Date(Number(limit)).toISOString() : grouped(limit);
}

/** The range of the number schema that a bound belongs to. */
function numberIn(issue: RawIssue): string | undefined {
  const owner = ownerOf(issue);
  return owner instanceof z.ZodNumber ? numberAllowedBy(owner) : undefined;
}

/** Undefined for values that have no length, such as numbers. */
function sizeOf(
  origin: string,
  value: unknown,
): { readonly size: number; readonly unit: string } | undefined {
  switch (origin) {
    case 'string':
      // Unicode code points, as zod and JSON Schema count them.
      return { size: z.core.util.codePointLength(value as string), unit: 'character' };
    case 'array':
      return { size: (value as readonly unknown[]).length, unit: 'item' };
    case 'set':
    case 'map':
      return { size: (value as ReadonlySet<unknown>).size, unit: 'item' };
    default:
      return undefined;
  }
}

function counted(count: number | bigint, unit: string): string {
  return `${grouped(count)} ${unit}${Number(count) === 1 ? '' : 's'}`;
}

const formats: Readonly<Record<string, string>> = {
  datetime: 'a time in RFC 3339 with an offset, such as 2026-05-04T10:00:00Z',
  date: 'a date such as 2026-05-04',
  time: 'a time of day such as 10:00:00',
  duration: 'a duration in ISO 8601, such as PT1H',
  email: 'an email address',
  url: 'a URL such as https://example.org',
  uuid: 'a UUID',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  json_string: 'JSON',
  lowercase: 'in lower case',
  uppercase: 'in upper case',
};

function wrongFormat(issue: Issue<'invalid_format'>): string {
  const { format, pattern, prefix, suffix, includes } = issue as Issue<'invalid_format'> & {
    readonly prefix?: string;
    readonly suffix?: string;
    readonly includes?: string;
  };
  if (prefix !== undefined) return `must start with ${JSON.stringify(prefix)}`;
  if (suffix !== undefined) return `must end with ${JSON.stringify(suffix)}`;
  if (includes !== undefined) return `must contain ${JSON.stringify(includes)}`;
  if (format === 'regex') return `must match ${pattern}`;
  return `must be ${formats[format] ?? `a valid ${format}`}`;
}

function noAlternative(issue: Issue<'invalid_union'>): string {
  const { discriminator, options, input } = issue as Issue<'invalid_union'> & {
    readonly options?: readonly z.core.util.Primitive[];
  };
  if (discriminator !== undefined && options)
    return (input as Record<string, unknown>)[discriminator] === undefined
      ? `is required: ${choice(options)}`
      : `must be ${choice(options)}`;
  const owner = ownerOf(issue);
  const allowed = owner && allowedBy(owner);
  return allowed === undefined ? 'is not valid' : `must be ${allowed}`;
}

function firstOf(issues: readonly z.core.$ZodIssue[]): string {
  return issues[0]?.message ?? 'is not valid';
}

/** The schema whose rule is broken. */
function ownerOf({ schema, inst }: Pick<RawIssue, 'schema' | 'inst'>): z.ZodType | undefined {
  return (schema ?? (inst instanceof z.core.$ZodType ? inst : undefined)) as z.ZodType | undefined;
}

/**
 * The issues with those of a union replaced by the issues of the alternative that the value is meant for, if its type or its
 * fields tell which one that is.
 */
export function withoutUnions(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const meant = issue.errors
    .map((alternative) => alternative.flatMap(withoutUnions))
    .filter((issues) => issues.length > 0 && !issues.some(isOfAnotherType))
    .sort((one, other) => one.length - other.length)[0];
  return meant?.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })) ?? [issue];
}

function isOfAnotherType({ path, code }: z.core.$ZodIssue): boolean {
  return path.length === 0 && ['invalid_type', 'invalid_value', 'invalid_union'].includes(code);
}
