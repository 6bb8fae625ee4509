/** The ids by which mem0 keeps memories apart. */
export interface EntityIds {
  readonly userId?: string | undefined;
  readonly agentId?: string | undefined;
  /** A conversation. */
  readonly runId?: string | undefined;
  /** A project. */
  readonly appId?: string | undefined;
}

type ScopeKey = 'agent' | 'user' | 'session' | 'project';

/** The scope keys of Stratalog, the most specific first: the first one that is given is the layer. */
const scopeKeys: readonly (readonly [keyof EntityIds, ScopeKey])[] = [
  ['agentId', 'agent'],
  ['userId', 'user'],
  ['runId', 'session'],
  ['appId', 'project'],
];

export type Filter = Record<string, unknown>;

/** The layer and scope of a memory with these ids. Throws a `TypeError` if no id is given. */
export function placeOf(ids: EntityIds): { layer: ScopeKey; scope: Partial<Record<ScopeKey, string>> } {
  const given = scopeKeys.flatMap(([id, key]) => (ids[id] === undefined ? [] : [[key, ids[id]] as const]));
  if (!given[0]) throw noEntity();
  return { layer: given[0][0], scope: Object.fromEntries(given) };
}

/** A filter of Stratalog for memories with these ids and conditions. Throws a `TypeError` if neither requires an id. */
export function filterOf(ids: EntityIds, filters: Filter = {}): Filter {
  const own = Object.fromEntries(scopeKeys.map(([id]) => [id, ids[id]]));
  const conditions = [...conditionsOf(own), ...conditionsOf(filters)];
  if (!conditions.some(namesEntity)) throw noEntity();
  return allOf(conditions);
}

/** The user that ids or filters name, for keys that act for users. */
export function userOf({ userId }: EntityIds, filters: Filter = {}): string | undefined {
  const user = userId ?? filters['userId'] ?? filters['user_id'];
  return typeof user === 'string' ? user : undefined;
}

const noEntity = (): TypeError =>
  new TypeError(
    'name at least one of userId, agentId, runId and appId; otherwise it would be about everybody',
  );

function conditionsOf(filters: Filter): Filter[] {
  return Object.entries(filters).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const nested = () => (value as Filter[]).map((filter) => allOf(conditionsOf(filter)));
    switch (name.toUpperCase()) {
      case 'AND':
        return nested();
      case 'OR':
        return [{ or: nested() }];
      case 'NOT':
        return [{ not: { or: nested() } }];
      case 'METADATA':
        return Object.entries(value as Filter).map(([key, test]) => condition(`metadata.${key}`, test));
      default:
        return [condition(fieldOf(name), value)];
    }
  });
}

/** The filter field for a name of mem0 in either spelling; any other name is a key of the metadata. */
function fieldOf(name: string): string {
  const camel = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const scope = scopeKeys.find(([id]) => id === camel);
  if (scope) return `scope.${scope[1]}`;
  if (camel === 'createdAt' || camel === 'updatedAt') return camel;
  if (camel === 'memoryIds') return 'id';
  if (camel === 'categories') return 'tags';
  return `metadata.${name}`;
}

function condition(field: string, value: unknown): Filter {
  // `*` matches every value. The comparison only excludes memories without the field.
  if (value === '*') return { [field]: { gte: '' } };
  if (Array.isArray(value)) return { [field]: { in: value } };
  if (typeof value !== 'object' || value === null) return { [field]: { eq: value } };
  const tests = Object.entries(value).map(([operator, operand]: [string, unknown]) => {
    if (operator === 'nin') return { not: { [field]: { in: operand } } };
    return { [field]: { [operator === 'icontains' ? 'contains' : operator]: operand } };
  });
  return allOf(tests);
}

const allOf = (conditions: readonly Filter[]): Filter =>
  conditions.length === 1 ? conditions[0]! : { and: conditions };

function namesEntity(condition: Filter): boolean {
  const [[field, value] = ['', undefined]] = Object.entries(condition);
  if (field === 'and') return (value as Filter[]).some(namesEntity);
  if (field === 'or') return (value as Filter[]).every(namesEntity);
  return field.startsWith('scope.');
}
