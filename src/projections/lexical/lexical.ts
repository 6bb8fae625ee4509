import { inLexicalIndex, withWordsInMemory } from '../../domain/retrieval/lexical-generation.ts';
import type { MemoryEvent } from '../../domain/memory/events.ts';
import { TOKENIZER_VERSION } from '../../domain/text/tokens.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import type { LexicalIndex } from '../../ports/lexical-index.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import { allDone } from '../all-done.ts';
import { digestOf, protect, type Projection, type Tables } from '../projection.ts';
import { DocumentFrequencies } from './document-frequencies.ts';
import { createExpunge, expungeTable, noteErasures } from './expunge.ts';
import { IndexDocuments } from './index-documents.ts';
import { analyse, unanalysed, type IndexedTexts } from './indexed-text.ts';
import { changesOf, textChangesOf } from './text-changes.ts';
import { createTextRows, loadTextRows, writeTextRows } from './text-rows.ts';
import { turnDigest } from './turn.ts';

const variant = `terms-${TOKENIZER_VERSION}`;

/** What finds words in the place of a BM25 index of the database. */
export interface OtherWords {
  readonly index?: LexicalIndex | undefined;
  /** Whether they are found in the memory of this process, which has the database to itself. */
  readonly inMemory?: boolean | undefined;
}

/**
 * The text of every active memory with what our own score is computed from: its term counts, its place in its session and
 * its speaker, and each tenant's document frequencies, so that another tenant's writes change no score. Candidates are
 * found by a BM25 index over the texts here or, where there is a lexical index, there. Where words are found in memory, that
 * is made of the counts alone: it knows document frequencies by itself, and there is no index here. A deleted memory keeps its text
 * shelved, out of all of them, for its restoration.
 */
export function lexical({ index, inMemory = false }: OtherWords = {}): Projection<IndexedTexts> {
  const common: Projection<IndexedTexts> = {
    name: 'lexical',
    version: 5,
    variant,
    batchSize: 64,
    handles: ['MemoryStored', 'MemoryUpdated', 'MemoryDeleted', 'MemoryRestored', 'MemoryErased'],
    tables: ['lexical', 'lexical_terms', 'lexical_corpus'],
    create: (tables) => [...createTexts(tables), ...createTerms(tables), createBm25(tables)],
    // Outside of the transaction: meanwhile the database works for others.
    prepare: (events) => analyse(events as readonly LoadedEvent<MemoryEvent>[]),
    apply: (events, tx, tables, texts) => apply(events, tx, tables, texts, { countsTerms: true }),
    digest: (tables) => digest(tables, { countsTerms: true }),
  };
  if (index) return withIndex(common, index);
  return inMemory ? withoutIndex(common) : common;
}

function withoutIndex(common: Projection<IndexedTexts>): Projection<IndexedTexts> {
  return {
    ...common,
    variant: withWordsInMemory(variant),
    tables: ['lexical', 'lexical_corpus'],
    create: createTexts,
    apply: (events, tx, tables, texts) => apply(events, tx, tables, texts, { countsTerms: false }),
    digest: (tables) => digest(tables, { countsTerms: false }),
  };
}

function withIndex(common: Projection<IndexedTexts>, index: LexicalIndex): Projection<IndexedTexts> {
  const documents = new IndexDocuments(index);
  return {
    ...common,
    variant: inLexicalIndex(variant),
    tables: [...common.tables, expungeTable],
    create: (tables) => [...createTexts(tables), ...createTerms(tables), ...createExpunge(tables)],
    // Before the transaction: a bookmark says that the documents up to it are found.
    async prepare(events, { sql, tables, generation }) {
      const facts = events as readonly LoadedEvent<MemoryEvent>[];
      // A process that was overtaken may read later rows here: its documents are of revisions that the index has passed.
      const before = await loadTextRows(facts, sql, tables);
      const changes = changesOf(facts, before, unanalysed(facts));
      const [texts] = await Promise.all([
        analyse(facts),
        documents.write(generation, textChangesOf(changes, before)),
      ]);
      return texts;
    },
    async apply(events, tx, tables, texts) {
      await common.apply(events, tx, tables, texts);
      await noteErasures(events as readonly LoadedEvent<MemoryEvent>[], tx, tables);
    },
    external: documents,
  };
}

function createTexts(tables: Tables): string[] {
  return [
    ...createTextRows(tables),
    `create table ${tables('lexical_corpus')} (
      tenant text primary key,
      documents integer not null
    )`,
    ...protect(tables('lexical')),
    ...protect(tables('lexical_corpus')),
  ];
}

function createTerms(tables: Tables): string[] {
  return [
    `create table ${tables('lexical_terms')} (
      tenant text not null,
      term text not null collate "C",
      documents integer not null,
      primary key (tenant, term)
    ) with (fillfactor = 50)`, // Room in each page for the next version of its rows, without a word to the index.
    ...protect(tables('lexical_terms')),
  ];
}

function createBm25(tables: Tables): string {
  const name = tables('lexical_body').replace('read.', '');
  return `create index ${name} on ${tables('lexical')} using bm25 (body) with (text_config = 'english')`;
}

/** Whether the document frequencies of terms are kept in a table. */
interface Counting {
  readonly countsTerms: boolean;
}

async function apply(
  events: readonly LoadedEvent[],
  tx: SqlExecutor,
  tables: Tables,
  texts: IndexedTexts,
  { countsTerms }: Counting,
): Promise<void> {
  const facts = events as readonly LoadedEvent<MemoryEvent>[];
  const before = await loadTextRows(facts, tx, tables);
  const changes = changesOf(facts, before, texts);
  const frequencies = new DocumentFrequencies({ countsTerms });
  for (const [key, { row }] of changes) {
    frequencies.take(before.get(key), -1);
    frequencies.take(row, 1);
  }
  await allDone([writeTextRows([...changes.values()], tx, tables), frequencies.write(tx, tables)]);
}

function digest(tables: Tables, { countsTerms }: Counting): string {
  const texts = [
    'tenant',
    'memory_id',
    'revision',
    'md5(body)',
    'md5(shelved)',
    'md5(counts::text)',
    'length',
  ];
  const parts = [
    digestOf(tables('lexical'), [...texts, ...turnDigest]),
    ...(countsTerms
      ? [digestOf(tables('lexical_terms'), ['tenant', 'term', 'documents'], 'documents <> 0')]
      : []),
    digestOf(tables('lexical_corpus'), ['tenant', 'documents'], 'documents <> 0'),
  ];
  return `select concat_ws(' ', ${parts.map((part) => `(${part})`).join(', ')}) as digest`;
}
