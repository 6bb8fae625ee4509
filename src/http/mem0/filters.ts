import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { metadataField } from '../../domain/metadata-path.ts';
import { invalid } from '../../domain/problems.ts';
import { entityKeys, entityNames, type EntityName } from './entities.ts';
import { timeOf } from './times.ts';

/** A filter of Stratalog, and what the filter of mem0 says about entities. */
export interface TranslatedFilter {
  readonly filter: JsonObject;
  /** Every user that it names. */
  readonly users: ReadonlySet<string>;
  /** Whether it also admits users that it does not name. */
  readonly anyUser: boolean;
  readonly namesEntity: boolean;
}

interface Seen {
  readonly users: Set<string>;
  anyUser: boolean;
  namesEntity: boolean;
}

type Translate = (value: JsonValue, path: string, seen: Seen) => JsonObject;

const operators = ['eq', 'ne', 'in', 'nin', 'gt', 'gte', 'lt', 'lte', 'contains', 'icontains'] as const;

/** Translates the filters of mem0's search and list. Throws `validation-failed` with the path in mem0's terms. */
export function translateFilter(filters: JsonObject, path = 'filters'): TranslatedFilter {
  const seen: Seen = { users: new Set(), anyUser: false, namesEntity: false };
  const filter = allOf(conditionsOf(filters, path, seen));
  return { filter, ...seen };
}

function conditionsOf(filters: JsonObject, path: string, seen: Seen): JsonObject[] {
  return Object.entries(filters).map(([name, value]) => {
    const at = `${path}.${name}`;
    switch (name.toUpperCase()) {
      case 'AND':
        return allOf(listOf(value, at).flatMap((item, index) => conditionsOf(item, `${at}.${index}`, seen)));
      case 'OR':
        return {
          or: listOf(value, at).map((item, index) => allOf(conditionsOf(item, `${at}.${index}`, seen))),
        };
      case 'NOT':
        return {
          not: {
            or: listOf(value, at).map((item, index) => allOf(conditionsOf(item, `${at}.${index}`, seen))),
          },
        };
      default: {
        const translate = Object.hasOwn(fields, name) ? fields[name] : undefined;
        if (!translate)
          throw invalid(
            at,
            `is not a field of mem0; use ${Object.keys(fields).join(', ')}, AND, OR or NOT, and {"metadata": {${JSON.stringify(name)}: …}} for a field of your own`,
          );
        return translate(value, at, seen);
      }
    }
  });
}

/** One condition counts as a list of one. */
function listOf(value: JsonValue, path: string): readonly JsonObject[] {
  const items = Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
  if (items.length === 0 || !items.every(isJsonObject))
    throw invalid(path, 'must be a list of at least one condition');
  return items;
}

function allOf(conditions: readonly JsonObject[]): JsonObject {
  if (conditions.length === 0) throw invalid('filters', 'must have at least one condition');
  return conditions.length === 1 ? conditions[0]! : { and: conditions };
}

const entityFilters = Object.fromEntries(
  entityNames.map((name): [EntityName, Translate] => [
    name,
    (value, path, seen) => {
      seen.namesEntity = true;
      if (name === 'user_id') noteUsers(value, seen);
      return testsOf(`scope.${entityKeys[name]}`, value, path);
    },
  ]),
);

/** Counts users below NOT and OR too: an agent acts for one user and may name no other. */
function noteUsers(value: JsonValue, seen: Seen): void {
  const named = isJsonObject(value) ? Object.entries(value) : [['eq', value] as const];
  for (const [operator, operand] of named) {
    const users = [operand].flat().filter((user) => typeof user === 'string');
    const isNamed = (operator === 'eq' || operator === 'in') && !users.includes('*');
    if (!isNamed || users.length === 0) seen.anyUser = true;
    else for (const user of users) seen.users.add(user);
  }
}

const ofTime =
  (field: string): Translate =>
  (value, path) =>
    testsOf(field, value, path, timeOperand);

const fields: Readonly<Record<string, Translate>> = {
  ...entityFilters,
  created_at: ofTime('createdAt'),
  updated_at: ofTime('updatedAt'),
  timestamp: (value, path) => ({
    or: [
      testsOf('occurredAt', value, path, timeOperand),
      { and: [{ not: isPresent('occurredAt') }, testsOf('createdAt', value, path, timeOperand)] },
    ],
  }),
  categories: (value, path) => {
    if (value === '*' || value === null) throw invalid(path, 'must name categories');
    return testsOf('tags', value, path);
  },
  keywords: (value, path) => testsOf('content', isJsonObject(value) ? value : { contains: value }, path),
  memory_ids: (value, path) => {
    if (!Array.isArray(value)) throw invalid(path, 'must be a list of ids');
    return { id: { in: value } };
  },
  metadata: (value, path) => {
    if (!isJsonObject(value)) throw invalid(path, 'must be an object of metadata keys and values');
    return allOf(metadataTests(value, [], path));
  },
};

/** An object whose keys are not all operators is a part of the metadata. */
function metadataTests(values: JsonObject, above: readonly string[], path: string): JsonObject[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const [keys, at] = [[...above, key], `${path}.${key}`];
    if (isJsonObject(value) && !Object.keys(value).every(isOperator)) return metadataTests(value, keys, at);
    return [testsOf(metadataField(keys), value, at)];
  });
}

function isOperator(name: string): name is (typeof operators)[number] {
  return (operators as readonly string[]).includes(name);
}

type Operand = (operator: string, value: JsonValue, path: string) => JsonValue;

const asSent: Operand = (_, value) => value;
/** Before or after a date means before or after the whole day. */
const timeOperand: Operand = (operator, value, path) =>
  timeOf(value, path, operator === 'lte' || operator === 'gt' ? 'end' : 'start');

/** `"*"` is any value, `null` none, and any other value that is not an object must be equal. */
function testsOf(field: string, value: JsonValue, path: string, operand: Operand = asSent): JsonObject {
  if (value === '*') return isPresent(field);
  if (value === null) return { not: isPresent(field) };
  if (Array.isArray(value)) return testsOf(field, { in: value }, path, operand);
  if (!isJsonObject(value)) return { [field]: { eq: operand('eq', value, path) } };
  return allOf(
    Object.entries(value).map(([operator, sent]) => {
      const at = `${path}.${operator}`;
      if (!isOperator(operator))
        throw invalid(at, `is not an operator; use one of ${operators.join(', ')}, or "*" as the value`);
      if (operator === 'eq') return testsOf(field, sent, at, operand);
      if (operator === 'in' || operator === 'nin') {
        if (!Array.isArray(sent) || sent.length === 0) throw invalid(at, 'must be a list of values');
        const values = (sent as readonly JsonValue[]).map((item, index) =>
          operand(operator, item, `${at}.${index}`),
        );
        const test = { [field]: { in: values } };
        return operator === 'in' ? test : { not: test };
      }
      if (operator === 'ne' && (sent === '*' || sent === null))
        return sent === null ? isPresent(field) : { not: isPresent(field) };
      return { [field]: { [operator === 'icontains' ? 'contains' : operator]: operand(operator, sent, at) } };
    }),
  );
}

/** Tests that a field is present. Each test fails if the field is missing or has a value of another type. */
function isPresent(field: string): JsonObject {
  if (field.startsWith('metadata'))
    return {
      or: [
        { [field]: { gte: '' } },
        { [field]: { gte: -Number.MAX_VALUE } },
        { [field]: { in: [true, false] } },
      ],
    };
  return { [field]: { gte: field.endsWith('At') ? '0001-01-01T00:00:00Z' : '' } };
}
