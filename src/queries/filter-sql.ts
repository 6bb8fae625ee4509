import type { Filter, FilterField, FilterScalar } from '../domain/filter.ts';
import { parseInstant } from '../domain/instant.ts';
import { neutralImportance } from '../domain/memory/view.ts';
import type { ReadView } from './read-models.ts';
import { allOf, anyOf, type Parameters } from './sql-builder.ts';

type Test = Extract<Filter, { kind: 'test' }>;

/** Fields that are times: compared as such, whatever zone the filter's text is in. */
const timeColumns: Partial<Record<FilterField, string>> = {
  occurredAt: 'occurred_at',
  createdAt: 'created_at',
  updatedAt: 'from_time',
  retentionUntil: 'retention_until',
};

/**
 * A filter as a condition on a row of the memories table, `alias`. Every field but times is compared as JSON, so that
 * types that differ never match; a missing field fails every test but `ne` and `not`. The view needs `usage` where the
 * filter names a counter, and only then is that read.
 */
export function filterCondition(
  filter: Filter,
  view: ReadView,
  alias: string,
  parameters: Parameters,
): string {
  switch (filter.kind) {
    case 'and':
      return allOf(filter.filters.map((part) => filterCondition(part, view, alias, parameters)));
    case 'or':
      return anyOf(filter.filters.map((part) => filterCondition(part, view, alias, parameters)));
    case 'not':
      return `not (${filterCondition(filter.filter, view, alias, parameters)})`;
    case 'test':
      return testCondition(filter, view, alias, parameters);
    default:
      return filter satisfies never;
  }
}

/** Never null, so that `not` turns it round. */
function testCondition(test: Test, view: ReadView, alias: string, parameters: Parameters): string {
  return `coalesce(${fieldCondition(test, view, alias, parameters)}, ${test.operator === 'ne'})`;
}

function fieldCondition(test: Test, view: ReadView, alias: string, parameters: Parameters): string {
  const { field } = test;
  // An aggregate answers one row also where nothing was counted, and is computed once for a thousand values.
  const counted = (condition: string) =>
    `(select ${condition} from ${view.table('usage')} u
      where u.tenant = ${alias}.tenant and u.memory_id = ${alias}.memory_id)`;
  if (field === 'accessCount')
    return counted(jsonCondition('to_jsonb(coalesce(max(u.accesses), 0))', test, parameters));
  if (field === 'lastAccessedAt') return counted(timeCondition('max(u.last_accessed_at)', test, parameters));
  const time = field === 'metadata' ? undefined : timeColumns[field];
  return time
    ? timeCondition(`${alias}.${time}`, test, parameters)
    : jsonCondition(fieldAsJson(test, alias, parameters), test, parameters);
}

function fieldAsJson({ field, path }: Test, alias: string, parameters: Parameters): string {
  switch (field) {
    case 'metadata':
      return `(${alias}.value->'metadata' #> ${parameters.bind([...path])}::text[])`;
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
    case 'importance':
      return `'${neutralImportance}'::jsonb`;
    case 'representations.natural_language':
    case 'representations.graph':
    case 'representations.code':
    case 'representations.formal':
    case 'representations.ascii_diagram':
    case 'representations.json_schema':
      return `(${alias}.value->'representations'->'${field.slice('representations.'.length)}')`;
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

/** The value itself, or an array that has it. */
function equals(json: string, value: FilterScalar, parameters: Parameters): string {
  const wanted = `${parameters.bind(JSON.stringify(value))}::text::jsonb`;
  return `(${json} = ${wanted} or (jsonb_typeof(${json}) = 'array' and ${json} @> ${wanted}))`;
}

/** So many are compared one by one: to look a value up in all of them costs more. */
const mostApart = 8;

/**
 * Of many the value is taken out of its row once: what each look at a large one takes of the database's memory is free again only
 * after the row.
 */
function equalsAny(json: string, values: readonly FilterScalar[], parameters: Parameters): string {
  if (values.length <= mostApart) return anyOf(values.map((item) => equals(json, item, parameters)));
  const items = parameters.bind(values.map((item) => JSON.stringify(item)));
  const wanted = `(select item::jsonb from unnest(${items}::text[]) item)`;
  return `(select one.value in ${wanted} or case when jsonb_typeof(one.value) = 'array'
      then exists (select 1 from jsonb_array_elements(one.value) member where member.value in ${wanted}) else false end
    from (select ${json} as value offset 0) one)`;
}

function contains(json: string, value: FilterScalar, parameters: Parameters): string {
  const member = `(jsonb_typeof(${json}) = 'array' and ${json} @> ${parameters.bind(JSON.stringify(value))}::text::jsonb)`;
  if (typeof value !== 'string') return member;
  // Once for all rows: it may be longer than any of them.
  const folded = `(select ${caseless(parameters.bind(value))})`;
  const text = `(jsonb_typeof(${json}) = 'string' and strpos(${caseless(`${json} #>> '{}'`)}, ${folded}) > 0)`;
  return `(${member} or ${text})`;
}

/** Sigma has two small letters and one capital. */
function caseless(text: string): string {
  return `replace(lower(${text}), 'ς', 'σ')`;
}

const comparisons = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/**
 * Numbers by size, all their digits kept (a cast from float8 would round them to 15), strings by code point. `case`
 * keeps a text from being read as a number.
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
  // No time contains another. What is not used must not be bound: PostgreSQL cannot tell its type.
  if (operator === 'contains') return 'false';
  const operands = operator === 'in' ? (value as readonly FilterScalar[]) : [value as FilterScalar];
  const times = operands
    .map(parseInstant)
    .filter((time) => time !== undefined)
    .map((time) => `${parameters.bind(time)}::timestamptz`);
  if (operator === 'in') return anyOf(times.map((time) => `${column} = ${time}`));
  // What is no time differs in type from every time.
  if (times.length === 0) return operator === 'ne' ? 'true' : 'false';
  const signs = { eq: '=', ne: '<>', ...comparisons };
  return `${column} ${signs[operator]} ${times[0]}`;
}
