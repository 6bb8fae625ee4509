import type { ClientBase } from 'pg';
import { registerTypes, toSql } from 'pgvector/pg';

type Parse = (text: string) => unknown;

/** Writes a vector in the text format of pgvector, with enough digits to read the same vector back. */
export function vectorToSql(vector: Float32Array): string {
  return toSql([...vector]) as string;
}

/** The parsers of vector columns by type id. The extension's type ids differ from database to database. */
export async function vectorParsers(client: ClientBase): Promise<ReadonlyMap<number, Parse>> {
  const parsers = new Map<number, Parse>();
  await registerTypes({
    query: (text: string, values: string[]) => client.query(text, values),
    setTypeParser: (oid: number, _format: 'text', parse: Parse) => parsers.set(oid, parse),
  });
  return parsers;
}
