// npm run schemas: writes the JSON Schema of each event and, once per version, a golden event that every later program must
// be able to read. The checked-in schema of an existing version never changes.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { eventDefinitions } from '../src/domain/events/registry.ts';
import { changed, eventSchema, fileOf, isSameShape, readFolder, type Document } from './event-schemas.ts';
import { recordGolden } from './golden-events.ts';

export async function main(): Promise<void> {
  const [events, golden] = [path.join('schemas', 'events'), path.join('schemas', 'golden')];
  await Promise.all([events, golden].map((folder) => mkdir(folder, { recursive: true })));
  const [schemas, recordings] = [await readFolder(events), await readFolder(golden)];
  for (const definition of eventDefinitions.values()) {
    const file = fileOf(definition.type, definition.version);
    const schema = eventSchema(definition);
    const present = schemas.get(file);
    if (present && !isSameShape(present, schema)) {
      process.stderr.write(`${changed(file)}\n`);
      process.exitCode = 1;
      continue;
    }
    await write(path.join(events, file), schema);
    if (!recordings.has(file)) await write(path.join(golden, file), { ...recordGolden(definition) });
  }
}

async function write(file: string, document: Document): Promise<void> {
  await writeFile(file, `${JSON.stringify(document, null, 2)}\n`);
}
