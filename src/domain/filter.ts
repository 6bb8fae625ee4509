import { z } from 'zod';
import { isJsonObject, textFault, type JsonObject, type JsonValue } from './json.ts';
import { Problem } from './problems.ts';

export const filterOperators = ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte', 'contains'] as const;
export type FilterOperator = (typeof filterOperators)[number];

export type FilterScalar = string | number | boolean | null;

/** Fields of a memory that a filter may name, besides `metadata.<path>` and `scope.<identifier>`. */
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
  'scope.company',
  'scope.org',
  'scope.team',
  'scope.project',
  'scope.session',
  'scope.user',
  'scope.agent',
] as const;

export type FilterField = (typeof filterFields)[number];

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
export const maxFilterTests = 1_000;
export const maxFilterValues = 10_000;

const shown = (count: number) => count.toLocaleString('en');

/** The limits of a filter, in words. */
export const filterLimits = `at most ${maxFilterDepth} levels deep, with ${shown(maxFilterTests)} tests and ${shown(maxFilterValues)} values in all, ${shown(maxListLength)} of them after one \`in\``;

/** Reads a filter as callers write it. Throws a problem that names the place, `path` being where the filter stands. */
export function parseFilter(value: unknown, path = 'filter'): Filter {
  const filter = parseObject(value, path, 1);
  const { tests, values } = sizeOf(filter);
  if (tests > maxFilterTests) throw fault(path, `must have at most ${shown(maxFilterTests)} tests`);
  if (values > maxFilterValues)
    throw fault(path, `must have at most ${shown(maxFilterValues)} values in all its tests`);
  return filter;
}

/** An empty filter counts as a test: it has its place in the statement too. */
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

function parseObject(value: unknown, path: string, depth: number): Filter {
  if (depth > maxFilterDepth) throw fault(path, `is nested more than ${maxFilterDepth} levels deep`);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw fault(path, 'must be an object');
  const filters = Object.entries(value).flatMap(([key, item]) =>
    parseEntry(key, item, `${path}.${key}`, depth),
  );
  return filters.length === 1 ? filters[0]! : { kind: 'and', filters };
}

function parseEntry(key: string, value: unknown, path: string, depth: number): Filter[] {
  if (key === 'and' || key === 'or') {
    if (!Array.isArray(value) || value.length === 0)
      throw fault(path, 'must be a list of at least one filter');
    return [
      { kind: key, filters: value.map((item, index) => parseObject(item, `${path}.${index}`, depth + 1)) },
    ];
  }
  if (key === 'not') return [{ kind: 'not', filter: parseObject(value, path, depth + 1) }];
  return parseTests(key, value, path);
}

function parseTests(name: string, value: unknown, path: string): Filter[] {
  const { field, keys } = parseField(name, path);
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

function parseField(name: string, path: string): { field: FilterField | 'metadata'; keys: string[] } {
  if (name.startsWith('metadata.')) {
    const keys = name.slice('metadata.'.length).split('.');
    if (keys.some((key) => key === '' || textFault(key) !== undefined))
      throw fault(path, 'is not a path below metadata');
    return { field: 'metadata', keys };
  }
  if ((filterFields as readonly string[]).includes(name)) return { field: name as FilterField, keys: [] };
  throw fault(path, `is not a field; known are metadata.<path>, ${filterFields.join(', ')}`);
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
    const message = textFault(value);
    if (message !== undefined) throw fault(path, message);
    return value;
  }
  throw fault(path, 'must be a string, a number, true, false or null');
}

function fault(path: string, message: string): Problem {
  return new Problem('validation-failed', `${path} ${message}`, { errors: [{ path, message }] });
}
