import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Document, Stratalog } from '../../../packages/client/src/index.ts';
import { packageRoot } from '../../support/package-root.ts';
import type { Narrator } from './narrator.ts';
import type { DemoFacts } from './run.ts';

const filename = 'harbour-handbook.md';
const question = 'What does a night cost for a boat of ten metres?';
const waitMs = 30_000;

/** Stores a file as a document, cites it, and stores it again with one change. */
export async function showDocuments(
  client: Stratalog,
  narrator: Narrator,
): Promise<Pick<DemoFacts, 'sections' | 'citesDocument' | 'changedSections'>> {
  narrator.chapter(
    'Documents become memories that are cited',
    `A file is stored: corpus/documents/${filename}. Each of its sections becomes a memory; then one price changes.`,
  );
  const text = await readFile(path.join(packageRoot, 'corpus', 'documents', filename), 'utf8');
  const first = await put(client, text);
  narrator.say(`${first.title}: ${first.memories} sections are memories.`);
  narrator.question(question);
  const { items } = await client.context({ query: question, tokenBudget: 400 });
  const cited = items.find(({ citation }) => citation.includes('Harbour handbook'));
  narrator.quote(cited?.text ?? 'NOTHING WAS FOUND');
  narrator.say(`Cited as ${cited?.citation ?? 'nothing'}`);
  narrator.gap();
  const before = await revisions(client, first);
  const second = await put(client, text.replace('22.00', '24.50'));
  const after = await revisions(client, second);
  const changedSections = [...after].filter(([id, revision]) => before.get(id) !== revision).length;
  narrator.say(
    `The file is stored again with one other price: ${changedSections} memory has a new revision.`,
  );
  narrator.shows('A document is as easy to store as a fact, and only what differs in it changes.');
  return { sections: first.memories, citesDocument: cited !== undefined, changedSections };
}

async function put(client: Stratalog, text: string): Promise<Document> {
  const file = { text, filename, layer: 'company' as const };
  return (await client.documents.put(filename, file, { waitMs })).document;
}

/** The revisions of the memories of its sections. */
async function revisions(client: Stratalog, { id }: Document): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for await (const memory of client.documents.memories(id)) found.set(memory.id, memory.revision);
  return found;
}
