import type { Visibility } from '../domain/access/visibility.ts';
import type { Filter, FilterField, FilterScalar } from '../domain/filter.ts';
import { parseInstant } from '../domain/instant.ts';
import { unrecordedTrust } from '../domain/trust/trust.ts';
import { citationsSql } from './citations.ts';
import type { ReadView } from './read-models.ts';
import { allOf, anyOf, type Parameters } from './sql-builder.ts';
import { importanceSql, usesSql, type Asker } from './use-sql.ts';

type Test = Extract<Filter, { kind: 'test' }>;

/** Columns of the fields that are times. They are compared as instants, so the time zone of the filter's text does not matter. */
const timeColumns: Partial<Record<FilterField, string>> = {
  occurredAt: 'occurred_at',
  createdAt: 'created_at',
  updatedAt: 'from_time',
  retentionUntil: 'retention_until',
};

/** A row of the memories table, `alias`, and who asks for it. */
export interface FilteredRow {
  readonly view: Pick<ReadView, 'table'>;
  readonly alias: string;
  readonly asker: Asker;
  /** Memories that cite the row count as far as the asker sees them; none if undefined. */
  readonly visibility?: Visibility | undefined;
}

/**
 * A filter as a condition on a row of the memories table. All fields except times are compared as JSON, so values of
 * different types never match. A missing field fails every test except `ne` and `not`. `usage`, `links` and
 * `values` are read only if the filter names a counter or `importance`; then the view needs them.
 */
export function filterCondition(filter: Filter, row: FilteredRow, parameters: Parameters): string {
  switch (filter.kind) {
    case 'and':
      return allOf(filter.filters.map((part) => filterCondition(part, row, parameters)));
    case 'or':
      return anyOf(filter.filters.map((part) => filterCondition(part, row, parameters)));
    case 'not':
      return `not (${filterCondition(filter.filter, row, parameters)})`;
    case 'test':
      return testCondition(filter, row, parameters);
    default:
      return filter satisfies never;
  }
}

/** Never null, so `not` always inverts it. */
function testCondition(test: Test, row: FilteredRow, parameters: Parameters): string {
  return `coalesce(${fieldCondition(test, row, parameters)}, ${test.operator === 'ne'})`;
}

function fieldCondition(
  test: Test,
  { view, alias, asker, visibility }: FilteredRow,
  parameters: Parameters,
): string {
  const { field } = test;
  // An aggregate returns a row even if nothing was counted, and is evaluated once, even for a thousand values.
  const counter = (condition: string) =>
    `(select ${condition} from ${view.table('usage')} u
      where u.tenant = ${alias}.tenant and u.memory_id = ${alias}.memory_id)`;
  if (field === 'accessCount')
    return counter(jsonCondition('to_jsonb(coalesce(max(u.accesses), 0))', test, parameters));
  if (field === 'lastAccessedAt') return counter(timeCondition('max(u.last_accessed_at)', test, parameters));
  if (field === 'citations') {
    const keys = { tenant: `${alias}.tenant`, memoryId: `${alias}.memory_id` };
    return citationsSql(
      view,
      visibility ?? [],
      keys,
      jsonCondition('to_jsonb(count(*))', test, parameters),
      parameters,
    );
  }
  if (field === 'importance') {
    const keys = { tenant: `${alias}.tenant`, memoryId: `${alias}.memory_id` };
    return usesSql(view, asker, keys, jsonCondition(importanceSql, test, parameters), parameters);
  }
  const time = field === 'metadata' ? undefined : timeColumns[field];
  return time
    ? timeCondition(`${alias}.${time}`, test, parameters)
    : jsonCondition(fieldAsJson(test, alias, parameters), test, parameters);
}

function fieldAsJson({ field, path, otherPaths = [] }: Test, alias: string, parameters: Parameters): string {
  switch (field) {
    case 'metadata':
      return firstOf(
        [path, ...otherPaths].map(
          (keys) => `(${alias}.value->'metadata' #> ${parameters.bind([...keys])}::text[])`,
        ),
      );
    case 'id':
      return `to_jsonb(${alias}.memory_id::text)`;
    case 'externalId':
      return `to_jsonb(${alias}.external_id)`;
    case 'content':
    case 'createdBy':
      return `(${alias}.value->'${field}')`;
    case 'layer':
    case 'spaces':
    case 'tags':
    case 'revision':
    case 'state':
      return `to_jsonb(${alias}.${field})`;
    case 'representations.natural_language':
    case 'representations.graph':
    case 'representations.code':
    case 'representations.formal':
    case 'representations.ascii_diagram':
    case 'representations.json_schema':
      return `(${alias}.value->'representations'->'${field.slice('representations.'.length)}')`;
    case 'trust.source':
    case 'trust.state':
    case 'trust.flags': {
      const part = field.slice('trust.'.length) as 'source' | 'state' | 'flags';
      return `coalesce(${alias}.value->'trust'->'${part}', '${JSON.stringify(unrecordedTrust[part])}'::jsonb)`;
    }
    case 'trust.reviewedBy':
      return `(${alias}.value->'trust'->'reviewedBy')`;
    case 'scope.company':
      return `to_jsonb(${alias}.tenant)`;
    case 'scope.user':
      return `to_jsonb(${alias}.user_id)`;
    case 'scope.org':
    case 'scope.team':
    case 'scope.project':
    case 'scope.session':
    case 'scope.agent':
      return `to_jsonb(${alias}.${field.slice('scope.'.length)})`;
    default:
      throw new Error(`${field} is compared otherwise`);
  }
}

/** SQL for the first path that leads somewhere. A path that leads nowhere is null in SQL; a JSON null is not. */
function firstOf(values: readonly string[]): string {
  return values.length === 1 ? values[0]! : `coalesce(${values.join(', ')})`;
}

function jsonCondition(json: string, { operator, value }: Test, parameters: Parameters): string {
  switch (operator) {
    case 'eq':
      return equals(json, value as FilterScalar, parameters);
    case 'ne':
      return `not ${equals(json, value as FilterScalar, parameters)}`;
    case 'in':
      return equalsAny(json, value as readonly FilterScalar[], parameters);
    case 'contains':
      return contains(json, value as FilterScalar, parameters);
    default:
      return compares(json, operator, value as string | number, parameters);
  }
}

/** SQL for whether the field equals the value, or is an array that contains it. */
function equals(json: string, value: FilterScalar, parameters: Parameters): string {
  const wanted = `${parameters.bind(JSON.stringify(value))}::text::jsonb`;
  return `(${json} = ${wanted} or (jsonb_typeof(${json}) = 'array' and ${json} @> ${wanted}))`;
}

/** Up to this many values are compared one by one, which costs less than looking the field up in a list. */
const maxEqualities = 8;

/**
 * With many values, the field is extracted from its row once. Each extraction of a large value takes memory that the database
 * frees only after the row.
 */
function equalsAny(json: string, values: readonly FilterScalar[], parameters: Parameters): string {
  if (values.length <= maxEqualities) return anyOf(values.map((item) => equals(json, item, parameters)));
  const items = parameters.bind(values.map((item) => JSON.stringify(item)));
  const wanted = `(select item::jsonb from unnest(${items}::text[]) item)`;
  return `(select one.value in ${wanted} or case when jsonb_typeof(one.value) = 'array'
      then exists (select 1 from jsonb_array_elements(one.value) member where member.value in ${wanted}) else false end
    from (select ${json} as value offset 0) one)`;
}

function contains(json: string, value: FilterScalar, parameters: Parameters): string {
  const member = `(jsonb_typeof(${json}) = 'array' and ${json} @> ${parameters.bind(JSON.stringify(value))}::text::jsonb)`;
  if (typeof value !== 'string') return member;
  // In a subquery, so it is folded once for all rows. It may be longer than any of their texts.
  const folded = `(select ${caseless(parameters.bind(value))})`;
  const text = `(jsonb_typeof(${json}) = 'string' and strpos(${caseless(`${json} #>> '{}'`)}, ${folded}) > 0)`;
  return `(${member} or ${text})`;
}

/** Folds case, and the final sigma to the other one: both have the same capital letter. */
function caseless(text: string): string {
  return `replace(lower(${text}), 'ς', 'σ')`;
}

const comparisons = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/**
 * Compares numbers as `numeric`, because a cast from float8 would round them to 15 digits, and strings by code point. `case`
 * prevents a cast of a text to a number.
 */
function compares(
  json: string,
  operator: keyof typeof comparisons,
  value: string | number,
  parameters: Parameters,
): string {
  const sign = comparisons[operator];
  if (typeof value === 'number') {
    return `case jsonb_typeof(${json}) when 'number' then (${json})::numeric ${sign} ${parameters.bind(String(value))}::text::numeric else false end`;
  }
  return `case jsonb_typeof(${json}) when 'string' then (${json} #>> '{}') collate "C" ${sign} ${parameters.bind(value)} collate "C" else false end`;
}

function timeCondition(column: string, { operator, value }: Test, parameters: Parameters): string {
  // No time contains another. An unused parameter must not be bound, because PostgreSQL could not infer its type.
  if (operator === 'contains') return 'false';
  const operands = operator === 'in' ? (value as readonly FilterScalar[]) : [value as FilterScalar];
  const times = operands
    .map(parseInstant)
    .filter((time) => time !== undefined)
    .map((time) => `${parameters.bind(time)}::timestamptz`);
  if (operator === 'in') return anyOf(times.map((time) => `${column} = ${time}`));
  // A value that is not a time has a different type from every time.
  if (times.length === 0) return operator === 'ne' ? 'true' : 'false';
  const signs = { eq: '=', ne: '<>', ...comparisons };
  return `${column} ${signs[operator]} ${times[0]}`;
}
