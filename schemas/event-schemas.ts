import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { AnyEventDefinition } from '../src/domain/events/define.ts';

/** A JSON document as it stands in a file. */
export type Document = Readonly<Record<string, unknown>>;

/** Documents by file name, such as `MemoryStored.v1.json`. */
export type Folder = ReadonlyMap<string, Document>;

export function fileOf(type: string, version: number): string {
  return `${type}.v${version}.json`;
}

/**
 * JSON Schema (2020-12) of an event's data. A property with `x-sealed` is ciphertext in the log and on the topics, and
 * gone after an erasure: who has no key sees the others only.
 */
export function eventSchema({ type, version, category, routing, sealed }: AnyEventDefinition): Document {
  const open = z.toJSONSchema(routing, { io: 'input' });
  const secret = z.toJSONSchema(sealed, { io: 'input' });
  const marked = Object.entries(secret.properties ?? {}).map(([name, schema]) => [
    name,
    { ...(schema as object), 'x-sealed': true },
  ]);
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:stratalog:event:${type}:v${version}`,
    title: type,
    'x-category': category,
    type: 'object',
    properties: { ...open.properties, ...Object.fromEntries(marked) },
    required: [...(open.required ?? []), ...(secret.required ?? [])],
  };
  // What a file can hold: without undefined members.
  return JSON.parse(JSON.stringify(schema)) as Document;
}

export async function readFolder(folder: string): Promise<Folder> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
  const documents = await Promise.all(
    names.map(async (name) => JSON.parse(await readFile(path.join(folder, name), 'utf8')) as Document),
  );
  return new Map(names.map((name, index) => [name, documents[index]!]));
}

/** What is wrong with the checked-in schemas, one sentence each. */
export function schemaFaults(definitions: Iterable<AnyEventDefinition>, checkedIn: Folder): string[] {
  const faults: string[] = [];
  const known = new Set<string>();
  for (const definition of definitions) {
    const { type, version } = definition;
    for (let each = 1; each <= version; each++) {
      const file = fileOf(type, each);
      known.add(file);
      if (!checkedIn.has(file)) faults.push(`${file} is missing: run npm run schemas`);
    }
    const present = checkedIn.get(fileOf(type, version));
    if (!present) continue;
    const current = eventSchema(definition);
    if (!isSameShape(present, current)) faults.push(changed(fileOf(type, version)));
    else if (JSON.stringify(present) !== JSON.stringify(current))
      faults.push(`${fileOf(type, version)} is out of date: run npm run schemas`);
  }
  for (const file of checkedIn.keys())
    if (!known.has(file)) faults.push(`${file} is of an event that no program can read any more`);
  return faults;
}

/** The message where the shape of a version differs from the one that is checked in. */
export function changed(file: string): string {
  return `${file} has another shape than before: events of this version may be in someone's log. Raise the version, with an upcaster; where it was never released, delete the file and its golden event first`;
}

/** Whether two schemas accept the same values by the same words: descriptions and titles do not count. */
export function isSameShape(one: Document, two: Document): boolean {
  return JSON.stringify(shapeOf(one)) === JSON.stringify(shapeOf(two));
}

const annotations = new Set(['description', 'title', 'examples']);

function shapeOf(schema: unknown, isSchema = true): unknown {
  if (Array.isArray(schema)) return schema.map((item) => shapeOf(item));
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !isSchema || !annotations.has(key))
      .sort(([left], [right]) => (left < right ? -1 : 1))
      // Below `properties` stand names, not keywords: a field may be called `title`.
      .map(([key, value]) => [key, shapeOf(value, !isSchema || key !== 'properties')]),
  );
}
