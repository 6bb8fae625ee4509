import { z } from 'zod';
import { suggestField } from './input/suggest-field.ts';
import { isJsonObject, textError, type JsonObject, type JsonValue } from './json.ts';
import { metadataPath, otherPaths } from './metadata-path.ts';
import { representationKinds } from './memory/content.ts';
import { Problem } from './problems.ts';
import { truncate } from './text/truncate.ts';

export const filterOperators = ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte', 'contains'] as const;
export type FilterOperator = (typeof filterOperators)[number];

export type FilterScalar = string | number | boolean | null;

/** Counters that come from other streams than the memory's own. Only their current values are known, so as-of reads cannot filter by them. */
export const counterFields = ['accessCount', 'lastAccessedAt', 'citations'] as const;

/** Fields that a filter can test, besides `metadata.<path>`. */
export const filterFields = [
  'id',
  'externalId',
  'content',
  'layer',
  'spaces',
  'tags',
  'occurredAt',
  'createdAt',
  'updatedAt',
  'createdBy',
  'revision',
  'state',
  'retentionUntil',
  'importance',
  'trust.source',
  'trust.state',
  'trust.flags',
  'trust.reviewedBy',
  ...counterFields,
  'scope.company',
  'scope.org',
  'scope.team',
  'scope.project',
  'scope.session',
  'scope.user',
  'scope.agent',
  ...representationKinds.map((kind) => `representations.${kind}` as const),
] as const;

export type FilterField = (typeof filterFields)[number];

/** The allowed field names as a phrase for error messages and docs. */
export const filterFieldNames = `metadata.<path>, ${filterFields.join(', ')}`;

export type Filter =
  | { readonly kind: 'and' | 'or'; readonly filters: readonly Filter[] }
  | { readonly kind: 'not'; readonly filter: Filter }
  | {
      readonly kind: 'test';
      readonly field: FilterField | 'metadata';
      /** Keys below `metadata`; empty for other fields. */
      readonly path: readonly string[];
      /** Other paths to try, in this order, if `path` finds nothing. */
      readonly otherPaths?: readonly (readonly string[])[];
      readonly operator: FilterOperator;
      readonly value: FilterScalar | readonly FilterScalar[];
    };

/** Whether a condition of the filter is on this field. */
export function testsField(filter: Filter, field: FilterField): boolean {
  if (filter.kind === 'test') return filter.field === field;
  if (filter.kind === 'not') return testsField(filter.filter, field);
  return filter.filters.some((part) => testsField(part, field));
}

export const maxFilterDepth = 16;

/**
 * Each level of a filter takes up to two levels of JSON; this is twice the maximum. Up to this depth `parseFilter` reports
 * which part is too deep. Deeper values are rejected first, because recursion over them could overflow the stack.
 */
const maxJsonDepth = 4 * maxFilterDepth;

/** Schema of a filter as callers send it. Checks only type and depth; `parseFilter` validates the rest. */
export const filterObject = z
  .unknown()
  .refine((value) => isJsonObject(value as JsonValue), { error: 'must be an object', abort: true })
  .refine((value) => !isDeeperThan(maxJsonDepth, value), `is nested more than ${maxFilterDepth} levels deep`)
  .transform((value) => value as JsonObject)
  .meta({ type: 'object', additionalProperties: true });

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeperThan(levels - 1, item));
}

/** Maximum number of values of one `in`. */
export const maxListLength = 1_000;
/** Limits for a whole filter. A PostgreSQL statement can bind at most 65,535 parameters. */
const maxFilterTests = 100;
const maxFilterValues = 10_000;

const formatCount = (count: number) => count.toLocaleString('en');

/** The limits as a phrase for the docs. */
export const filterLimits = `at most ${maxFilterDepth} levels deep, with at most ${formatCount(maxFilterTests)} conditions and ${formatCount(maxFilterValues)} values in total, and ${formatCount(maxListLength)} values in one \`in\``;

export interface ParseFilterOptions {
  /** Path of the filter in the request, used in error messages. */
  readonly path?: string;
  /** Whether the filter belongs to an as-of read, which cannot use `counterFields`. */
  readonly isAsOf?: boolean;
}

/** Parses a filter as callers send it. Throws a `validation-failed` problem with the path of the first error. */
export function parseFilter(
  value: unknown,
  { path = 'filter', isAsOf = false }: ParseFilterOptions = {},
): Filter {
  const filter = parseObject(value, path, { depth: 1, isAsOf });
  const { tests, values } = sizeOf(filter);
  if (tests > maxFilterTests)
    throw filterProblem(path, `must have at most ${formatCount(maxFilterTests)} tests`);
  if (values > maxFilterValues)
    throw filterProblem(path, `must have at most ${formatCount(maxFilterValues)} values in all its tests`);
  return filter;
}

/** Counts tests and their values. An empty filter counts as one test, since it adds a condition to the SQL statement too. */
function sizeOf(filter: Filter): { tests: number; values: number } {
  if (filter.kind === 'not') return sizeOf(filter.filter);
  if (filter.kind === 'test') return { tests: 1, values: [filter.value].flat().length };
  const sizes = filter.filters.map(sizeOf);
  if (sizes.length === 0) return { tests: 1, values: 0 };
  return {
    tests: sizes.reduce((sum, { tests }) => sum + tests, 0),
    values: sizes.reduce((sum, { values }) => sum + values, 0),
  };
}

interface ParseContext {
  readonly depth: number;
  readonly isAsOf: boolean;
}

function parseObject(value: unknown, path: string, context: ParseContext): Filter {
  if (context.depth > maxFilterDepth)
    throw filterProblem(path, `is nested more than ${maxFilterDepth} levels deep`);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw filterProblem(path, 'must be an object');
  const filters = Object.entries(value).flatMap(([key, item]) =>
    parseEntry(key, item, `${path}.${key}`, context),
  );
  return filters.length === 1 ? filters[0]! : { kind: 'and', filters };
}

function parseEntry(key: string, value: unknown, path: string, context: ParseContext): Filter[] {
  const inside = { ...context, depth: context.depth + 1 };
  if (key === 'and' || key === 'or') {
    if (!Array.isArray(value) || value.length === 0)
      throw filterProblem(path, 'must be a list of at least one filter');
    return [
      { kind: key, filters: value.map((item, index) => parseObject(item, `${path}.${index}`, inside)) },
    ];
  }
  if (key === 'not') return [{ kind: 'not', filter: parseObject(value, path, inside) }];
  return parseTests(key, value, path, context);
}

function parseTests(name: string, value: unknown, path: string, context: ParseContext): Filter[] {
  const field = parseField(name, path, context);
  if (
    typeof value !== 'object' ||
    value === null ||
    Array.isArray(value) ||
    Object.keys(value).length === 0
  ) {
    throw filterProblem(path, `must be an object with one of the operators ${filterOperators.join(', ')}`);
  }
  return Object.entries(value).map(([operator, operand]) => {
    const at = `${path}.${operator}`;
    if (!(filterOperators as readonly string[]).includes(operator)) {
      throw filterProblem(at, `is not an operator; use one of ${filterOperators.join(', ')}`);
    }
    return {
      kind: 'test',
      ...field,
      operator: operator as FilterOperator,
      value: parseOperand(operator as FilterOperator, operand, at),
    };
  });
}

function parseField(
  name: string,
  path: string,
  { isAsOf }: ParseContext,
): Pick<Extract<Filter, { kind: 'test' }>, 'field' | 'path' | 'otherPaths'> {
  if (isAsOf && (counterFields as readonly string[]).includes(name))
    throw filterProblem(
      path,
      'is only known for the present and cannot be used in a filter together with asOf',
    );
  if (/^metadata[.[]/.test(name)) {
    const found = metadataPath(name);
    if (!found)
      throw filterProblem(path, 'is not a path below metadata, such as metadata.a.b or metadata["a.b"]');
    const { keys, isExact } = found;
    return {
      field: 'metadata',
      path: keys,
      ...(!isExact && keys.length > 1 && { otherPaths: otherPaths(keys) }),
    };
  }
  if ((filterFields as readonly string[]).includes(name)) return { field: name as FilterField, path: [] };
  throw filterProblem(path, unknownField(name));
}

/** Maximum number of UTF-16 units of an unknown field in an error message. */
const longestNameShown = 64;

function unknownField(name: string): string {
  const suggestion = suggestField(name, {
    here: filterFields.filter((field) => !field.includes('.')),
    elsewhere: filterFields.filter((field) => field.includes('.')),
  });
  const own = `metadata.${truncate(name, longestNameShown)} for a field of your own`;
  return suggestion === undefined
    ? `is not a field; use ${own}, or one of ${filterFieldNames}`
    : `is not a field; use ${suggestion}, or ${own}`;
}

function parseOperand(operator: FilterOperator, value: unknown, path: string): FilterScalar | FilterScalar[] {
  if (operator === 'in') {
    if (!Array.isArray(value) || value.length === 0 || value.length > maxListLength) {
      throw filterProblem(path, `must be a list of 1 to ${maxListLength} values`);
    }
    return value.map((item, index) => parseScalar(item, `${path}.${index}`));
  }
  const scalar = parseScalar(value, path);
  const ordered = operator !== 'eq' && operator !== 'ne' && operator !== 'contains';
  if (ordered && typeof scalar !== 'string' && typeof scalar !== 'number')
    throw filterProblem(path, 'must be a string or a number');
  return scalar;
}

function parseScalar(value: unknown, path: string): FilterScalar {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value === 'string') {
    const message = textError(value);
    if (message !== undefined) throw filterProblem(path, message);
    return value;
  }
  throw filterProblem(path, 'must be a string, a number, true, false or null');
}

function filterProblem(path: string, message: string): Problem {
  return new Problem('validation-failed', `${path} ${message}`, { errors: [{ path, message }] });
}
