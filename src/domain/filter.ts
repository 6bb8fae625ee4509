import { z } from 'zod';
import { isJsonObject, textError, type JsonObject, type JsonValue } from './json.ts';
import { representationKinds } from './memory/content.ts';
import { Problem } from './problems.ts';

export const filterOperators = ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte', 'contains'] as const;
export type FilterOperator = (typeof filterOperators)[number];

export type FilterScalar = string | number | boolean | null;

/** What is counted of a memory by other streams than its own: known as of today, and not as of then. */
export const counterFields = ['accessCount', 'lastAccessedAt'] as const;

/** Fields of a memory that a filter may name, besides `metadata.<path>`. */
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

/** All of them, in words. */
export const filterFieldNames = `metadata.<path>, ${filterFields.join(', ')}`;

export type Filter =
  | { readonly kind: 'and' | 'or'; readonly filters: readonly Filter[] }
  | { readonly kind: 'not'; readonly filter: Filter }
  | {
      readonly kind: 'test';
      readonly field: FilterField | 'metadata';
      /** Keys below `metadata`. */
      readonly path: readonly string[];
      readonly operator: FilterOperator;
      readonly value: FilterScalar | readonly FilterScalar[];
    };

export const maxFilterDepth = 16;

/** Twice what any filter has. Up to here `parseFilter` names the place that is too deep; beyond, whoever walks it could be overrun. */
const maxJsonDepth = 4 * maxFilterDepth;

/** A filter as callers write it, and not far deeper than any; what is in it, `parseFilter` says. */
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

/** Of the values after `in`. */
export const maxListLength = 1_000;
/** Of tests, and of the values of all of them: a statement of PostgreSQL binds at most 65,535. */
const maxFilterTests = 100;
const maxFilterValues = 10_000;

const shown = (count: number) => count.toLocaleString('en');

/** The limits of a filter, in words. */
export const filterLimits = `at most ${maxFilterDepth} levels deep, with ${shown(maxFilterTests)} tests and ${shown(maxFilterValues)} values in all, ${shown(maxListLength)} of them after one \`in\``;

export interface ParseFilterOptions {
  /** Where the filter stands. */
  readonly path?: string;
  /** Whether it is asked of memories as they were. */
  readonly isAsOf?: boolean;
}

/** Reads a filter as callers write it. Throws a problem that names the place. */
export function parseFilter(
  value: unknown,
  { path = 'filter', isAsOf = false }: ParseFilterOptions = {},
): Filter {
  const filter = parseObject(value, path, { depth: 1, isAsOf });
  const { tests, values } = sizeOf(filter);
  if (tests > maxFilterTests) throw fault(path, `must have at most ${shown(maxFilterTests)} tests`);
  if (values > maxFilterValues)
    throw fault(path, `must have at most ${shown(maxFilterValues)} values in all its tests`);
  return filter;
}

/** An empty filter counts as a test: it takes a place in the statement too. */
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
  if (context.depth > maxFilterDepth) throw fault(path, `is nested more than ${maxFilterDepth} levels deep`);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw fault(path, 'must be an object');
  const filters = Object.entries(value).flatMap(([key, item]) =>
    parseEntry(key, item, `${path}.${key}`, context),
  );
  return filters.length === 1 ? filters[0]! : { kind: 'and', filters };
}

function parseEntry(key: string, value: unknown, path: string, context: ParseContext): Filter[] {
  const inside = { ...context, depth: context.depth + 1 };
  if (key === 'and' || key === 'or') {
    if (!Array.isArray(value) || value.length === 0)
      throw fault(path, 'must be a list of at least one filter');
    return [
      { kind: key, filters: value.map((item, index) => parseObject(item, `${path}.${index}`, inside)) },
    ];
  }
  if (key === 'not') return [{ kind: 'not', filter: parseObject(value, path, inside) }];
  return parseTests(key, value, path, context);
}

function parseTests(name: string, value: unknown, path: string, context: ParseContext): Filter[] {
  const { field, keys } = parseField(name, path, context);
  if (
    typeof value !== 'object' ||
    value === null ||
    Array.isArray(value) ||
    Object.keys(value).length === 0
  ) {
    throw fault(path, `must be an object with one of the operators ${filterOperators.join(', ')}`);
  }
  return Object.entries(value).map(([operator, operand]) => {
    const at = `${path}.${operator}`;
    if (!(filterOperators as readonly string[]).includes(operator)) {
      throw fault(at, `is not an operator; known are ${filterOperators.join(', ')}`);
    }
    return {
      kind: 'test',
      field,
      path: keys,
      operator: operator as FilterOperator,
      value: parseOperand(operator as FilterOperator, operand, at),
    };
  });
}

function parseField(
  name: string,
  path: string,
  { isAsOf }: ParseContext,
): { field: FilterField | 'metadata'; keys: string[] } {
  if (isAsOf && (counterFields as readonly string[]).includes(name))
    throw fault(path, 'is counted as of today alone: a filter beside asOf cannot name it');
  if (name.startsWith('metadata.')) {
    const keys = name.slice('metadata.'.length).split('.');
    if (keys.some((key) => key === '' || textError(key) !== undefined))
      throw fault(path, 'is not a path below metadata');
    return { field: 'metadata', keys };
  }
  if ((filterFields as readonly string[]).includes(name)) return { field: name as FilterField, keys: [] };
  throw fault(path, `is not a field; known are ${filterFieldNames}`);
}

function parseOperand(operator: FilterOperator, value: unknown, path: string): FilterScalar | FilterScalar[] {
  if (operator === 'in') {
    if (!Array.isArray(value) || value.length === 0 || value.length > maxListLength) {
      throw fault(path, `must be a list of 1 to ${maxListLength} values`);
    }
    return value.map((item, index) => parseScalar(item, `${path}.${index}`));
  }
  const scalar = parseScalar(value, path);
  const ordered = operator !== 'eq' && operator !== 'ne' && operator !== 'contains';
  if (ordered && typeof scalar !== 'string' && typeof scalar !== 'number')
    throw fault(path, 'must be a string or a number');
  return scalar;
}

function parseScalar(value: unknown, path: string): FilterScalar {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value === 'string') {
    const message = textError(value);
    if (message !== undefined) throw fault(path, message);
    return value;
  }
  throw fault(path, 'must be a string, a number, true, false or null');
}

function fault(path: string, message: string): Problem {
  return new Problem('validation-failed', `${path} ${message}`, { errors: [{ path, message }] });
}
