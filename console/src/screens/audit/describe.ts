/** The type of an event in words, such as "Memory stored" for `MemoryStored`. */
export function describeEvent(type: string): string {
  const words = type.split(/(?<=[a-z0-9])(?=[A-Z])/);
  return words.map((word, place) => (place === 0 ? word : word.toLowerCase())).join(' ');
}

/** Fields by which events name memories. */
const naming = ['memoryId', 'source', 'target', 'memoryIds', 'representative', 'results', 'items'] as const;

const id = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The memories that an event names, in its order. */
export function memoriesOf(data: Readonly<Record<string, unknown>>): readonly string[] {
  const named = naming.flatMap((field) => {
    const value = data[field];
    return Array.isArray(value) ? value.map(idOf) : [value];
  });
  return [...new Set(named.filter((one): one is string => typeof one === 'string' && id.test(one)))];
}

const idOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? (value as { memoryId?: unknown }).memoryId : value;

/** What an event is about in one line: a text of it, or else what it names. */
export function gistOf(data: Readonly<Record<string, unknown>>): string {
  for (const field of ['content', 'query', 'title', 'note', 'what', 'kind', 'outcome', 'name'])
    if (typeof data[field] === 'string') return data[field];
  const named = memoriesOf(data);
  if (named.length > 1) return `${named.length} memories`;
  return '';
}
