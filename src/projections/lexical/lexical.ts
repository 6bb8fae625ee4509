import { inLexicalIndex, withWordsInMemory } from '../../read-models/lexical/variant.ts';
import type { MemoryEvent } from '../../domain/memory/events.ts';
import { TOKENIZER_VERSION } from '../../domain/text/tokens.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import type { LexicalIndex } from '../../ports/lexical-index.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import { digestOf, digestOfAll } from '../../read-models/digest.ts';
import { ofMemory, rowsWith } from '../holding.ts';
import type { Projection } from '../projection.ts';
import { protect, type Tables } from '../../read-models/table.ts';
import { together, type Write } from '../write.ts';
import { DocumentFrequencies } from './document-frequencies.ts';
import { createExpunge, expungeTable, noteErasures } from './expunge.ts';
import { IndexDocuments } from './index-documents.ts';
import { analyse, type IndexedTexts } from './indexed-text.ts';
import { changesOf, textChangesOf } from './text-changes.ts';
import { createTextRows, loadTextRows, writeTextRows, type CountsType } from './text-rows.ts';
import { turnColumnTypes } from './turn.ts';

const variant = `terms-${TOKENIZER_VERSION}`;

/** How a variant keeps counts. */
interface Counting {
  /** Whether the document frequencies of terms are kept in a table. */
  readonly countsTerms: boolean;
  readonly counts: CountsType;
}

const inDatabase: Counting = { countsTerms: true, counts: 'jsonb' };
const inMemory: Counting = { countsTerms: false, counts: 'text' };

/** What finds words instead of a BM25 index of the database. */
export interface OtherWords {
  readonly index?: LexicalIndex | undefined;
  /** Whether this process finds words in its memory; it is then the only user of the database. */
  readonly inMemory?: boolean | undefined;
}

/**
 * The text of every active memory with the data for our own score: its term counts, its place in the session, its speaker, and the document
 * frequencies of each tenant, so that writes of other tenants change no score. Candidates are found by a BM25 index over these texts, or
 * by a lexical index outside of the database. If words are found in memory, that index is built from the counts alone and keeps its own
 * document frequencies; the database then has no index. The text of a deleted memory is kept in `shelved`, outside of all indexes, so that
 * it can be restored.
 */
export function lexical({
  index,
  inMemory: wordsInMemory = false,
}: OtherWords = {}): Projection<IndexedTexts> {
  const common: Projection<IndexedTexts> = {
    name: 'lexical',
    version: 8,
    variant,
    batchSize: 64,
    handles: ['MemoryStored', 'MemoryUpdated', 'MemoryDeleted', 'MemoryRestored', 'MemoryErased'],
    tables: ['lexical', 'lexical_terms', 'lexical_corpus'],
    create: (tables) => [...createTexts(tables, inDatabase), ...createTerms(tables), ...createBm25(tables)],
    // Outside of the transaction, so the database can do other work meanwhile.
    prepare: (events) => analyse(events as readonly LoadedEvent<MemoryEvent>[]),
    plan: (events, executor, tables, texts) => plan(events, executor, tables, texts, inDatabase),
    holds: (tables) => rowsWith([tables('lexical'), ofMemory]),
    digest: (tables) => digest(tables, inDatabase),
  };
  if (index) return withIndex(common, index);
  return wordsInMemory ? withoutIndex(common) : common;
}

function withoutIndex(common: Projection<IndexedTexts>): Projection<IndexedTexts> {
  return {
    ...common,
    version: 7,
    variant: withWordsInMemory(variant),
    tables: ['lexical', 'lexical_corpus'],
    create: (tables) => createTexts(tables, inMemory),
    plan: (events, executor, tables, texts) => plan(events, executor, tables, texts, inMemory),
    digest: (tables) => digest(tables, inMemory),
  };
}

function withIndex(common: Projection<IndexedTexts>, index: LexicalIndex): Projection<IndexedTexts> {
  const documents = new IndexDocuments(index);
  return {
    ...common,
    variant: inLexicalIndex(variant),
    tables: [...common.tables, expungeTable],
    create: (tables) => [
      ...createTexts(tables, inDatabase),
      ...createTerms(tables),
      ...createExpunge(tables),
    ],
    // Before the transaction: the checkpoint promises that searches find the documents up to it.
    async prepare(events, { sql, tables, generation }) {
      const facts = events as readonly LoadedEvent<MemoryEvent>[];
      // An outdated process may read later rows here; the index ignores its documents, since their revisions are older.
      const [before, texts] = await Promise.all([loadTextRows(facts, sql, tables), analyse(facts)]);
      const changes = changesOf(facts, before, texts);
      await documents.write(generation, textChangesOf(changes, before));
      return texts;
    },
    async plan(events, executor, tables, texts) {
      return together(
        await common.plan(events, executor, tables, texts),
        noteErasures(events as readonly LoadedEvent<MemoryEvent>[], tables),
      );
    },
    external: documents,
  };
}

function createTexts(tables: Tables, { counts }: Counting): string[] {
  return [
    ...createTextRows(tables, counts),
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
    ) with (fillfactor = 50)`, // Leaves room in each page for new versions of its rows, so that updates need not touch the index.
    ...protect(tables('lexical_terms')),
  ];
}

/** The index has terms, not texts: PostgreSQL's analysis knows fewer written forms of a word than ours. */
function createBm25(tables: Tables): string[] {
  const [texts, name] = [tables('lexical'), tables('lexical_words').replace('read.', '')];
  return [
    `alter table ${texts} add column terms text
       generated always as (case when body is not null then read.term_text(counts) end) stored`,
    `create index ${name} on ${texts} using bm25 (terms) with (text_config = 'simple')`,
  ];
}

async function plan(
  events: readonly LoadedEvent[],
  executor: SqlExecutor,
  tables: Tables,
  texts: IndexedTexts,
  { countsTerms, counts }: Counting,
): Promise<Write> {
  const facts = events as readonly LoadedEvent<MemoryEvent>[];
  const before = await loadTextRows(facts, executor, tables);
  const changes = changesOf(facts, before, texts);
  const frequencies = new DocumentFrequencies({ countsTerms });
  for (const [key, { row }] of changes) {
    frequencies.count(before.get(key), -1);
    frequencies.count(row, 1);
  }
  return together(writeTextRows([...changes.values()], tables, counts), frequencies.write(tables));
}

function digest(tables: Tables, { countsTerms, counts }: Counting): string {
  const frequencies = countsTerms
    ? [
        digestOf(
          tables('lexical_terms'),
          { tenant: 'text', term: 'text', documents: 'integer' },
          'documents <> 0',
        ),
      ]
    : [];
  return digestOfAll(
    digestOf(tables('lexical'), {
      tenant: 'text',
      memory_id: 'uuid',
      revision: 'integer',
      body: 'text',
      shelved: 'text',
      counts,
      length: 'integer',
      passage_terms: counts,
      passage_lengths: 'text',
      ...turnColumnTypes,
    }),
    ...frequencies,
    digestOf(tables('lexical_corpus'), { tenant: 'text', documents: 'integer' }, 'documents <> 0'),
  );
}
