/** For each type its hash function, and the value that replaces null. */
const hashes = {
  text: { hash: 'hashtextextended', absent: `'~'` },
  'text[]': { hash: 'hash_array_extended', absent: `'{~}'` },
  uuid: { hash: 'uuid_hash_extended', absent: `'00000000-0000-0000-0000-000000000000'` },
  integer: { hash: 'hashint4extended', absent: '-1' },
  bigint: { hash: 'hashint8extended', absent: '-1' },
  boolean: { hash: 'hashboolextended', absent: 'false' },
  'double precision': { hash: 'hashfloat8extended', absent: `'NaN'` },
  timestamptz: { hash: 'timestamptz_hash_extended', absent: `'-infinity'` },
  jsonb: { hash: 'jsonb_hash_extended', absent: `'null'` },
} as const;

/** What is compared: columns, or expressions over them, with their types. They include the key of the table. */
export type Digested = Readonly<Record<string, keyof typeof hashes>>;

/**
 * A query for one row `{digest}`: the number of rows and a 64-bit hash of all of them that does not depend on their order. It takes a
 * third to two thirds of the time of a hash over the columns as text.
 */
export function digestOf(table: string, columns: Digested, where = 'true'): string {
  return `select count(*)::text || ':' || coalesce(bit_xor(${hashOf(columns)}), 0)::text as digest from ${table} where ${where}`;
}

/** The hash of a row: the hash of each column is the seed of the next. Rows are unique, so no two cancel each other out. */
function hashOf(columns: Digested): string {
  return Object.entries(columns).reduce((seed, [column, type]) => {
    const { hash, absent } = hashes[type];
    return `${hash}(coalesce(${column}, ${absent}), ${seed})`;
  }, '0::bigint');
}

/** Combines several digests into one. */
export function digestOfAll(...digests: readonly string[]): string {
  return `select concat_ws(' ', ${digests.map((digest) => `(${digest})`).join(', ')}) as digest`;
}
