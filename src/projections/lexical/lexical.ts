import { inLexicalIndex, withWordsInMemory } from '../../read-models/lexical/variant.ts';
import { memoryEvents, type MemoryEvent } from '../../domain/memory/events.ts';
import { TOKENIZER_VERSION } from '../../domain/text/tokens.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import type { LexicalIndex } from '../../ports/lexical-index.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import { ofMemory, rowsWith } from '../holding.ts';
import { declaredBy, type PrepareContext, type Projection } from '../projection.ts';
import type { Tables } from '../../read-models/table.ts';
import { together, type Write } from '../write.ts';
import { corpora, DocumentFrequencies, frequencies, partSizes } from './document-frequencies.ts';
import { createExpunge, expungeTable, noteErasures } from './expunge.ts';
import { IndexDocuments } from './index-documents.ts';
import { analyse, type IndexedTexts } from './indexed-text.ts';
import { changesOf, textChangesOf } from './text-changes.ts';
import { loadBodies, loadTextRows, textTables, writeTextRows, type CountsType } from './text-rows.ts';

const variant = `terms-${TOKENIZER_VERSION}`;

/** How a variant keeps counts. */
interface Counting {
  /** Whether the document frequencies of terms are kept in a table. */
  readonly countsTerms: boolean;
  readonly counts: CountsType;
}

const inDatabase: Counting = { countsTerms: true, counts: 'json' };
const inMemory: Counting = { countsTerms: false, counts: 'text' };

/** Of the variants that count the documents of each term in the database. */
const countingTerms = declaredBy(textTables.json, frequencies, partSizes, corpora);

/** What finds words instead of a BM25 index of the database. */
export interface OtherWords {
  readonly index?: LexicalIndex | undefined;
  /** Whether this process finds words in its memory; it is then the only user of the database. */
  readonly inMemory?: boolean | undefined;
}

/**
 * The text of every active memory, with its representations, and the data for our own score: its term counts, its place in the session, its speaker, and the document
 * frequencies of each tenant and of its parts, so that memories of other tenants and personal ones of others change no score. Candidates are found by a BM25 index over these texts, or
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
    version: 9,
    variant,
    batchSize: 64,
    handles: memoryEvents,
    ...countingTerms,
    create: (tables) => [...countingTerms.create(tables), ...createBm25(tables)],
    // Outside of the transaction, so the database can do other work meanwhile.
    prepare: (events, context) => analyseIn(context, events as readonly LoadedEvent<MemoryEvent>[]),
    plan: (events, executor, tables, texts) => plan(events, executor, tables, texts, inDatabase),
    holds: (tables) => rowsWith([tables(textTables.json.name), ofMemory]),
  };
  if (index) return withIndex(common, index);
  return wordsInMemory ? withoutIndex(common) : common;
}

function withoutIndex(common: Projection<IndexedTexts>): Projection<IndexedTexts> {
  return {
    ...common,
    version: 7,
    variant: withWordsInMemory(variant),
    ...declaredBy(textTables.text, corpora),
    plan: (events, executor, tables, texts) => plan(events, executor, tables, texts, inMemory),
  };
}

function withIndex(common: Projection<IndexedTexts>, index: LexicalIndex): Projection<IndexedTexts> {
  const documents = new IndexDocuments(index);
  return {
    ...common,
    variant: inLexicalIndex(variant),
    tables: [...common.tables, expungeTable],
    create: (tables) => [...countingTerms.create(tables), ...createExpunge(tables)],
    // Before the transaction: the checkpoint promises that searches find the documents up to it.
    async prepare(events, context) {
      const { sql, tables, generation } = context;
      const facts = events as readonly LoadedEvent<MemoryEvent>[];
      // An outdated process may read later rows here; the index ignores its documents, since their revisions are older.
      const [before, texts] = await Promise.all([
        loadTextRows(facts, sql, tables),
        analyseIn(context, facts),
      ]);
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

function analyseIn(
  { sql, tables }: PrepareContext,
  facts: readonly LoadedEvent<MemoryEvent>[],
): Promise<IndexedTexts> {
  return analyse(facts, (some, containing) => loadBodies(some, sql, tables, containing));
}

/** The index has terms, not texts: PostgreSQL's analysis knows fewer written forms of a word than ours. */
function createBm25(tables: Tables): string[] {
  const [texts, name] = [tables(textTables.json.name), tables('lexical_words').replace('read.', '')];
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
  const documents = new DocumentFrequencies({ countsTerms });
  for (const [key, { row }] of changes) {
    documents.count(before.get(key), -1);
    documents.count(row, 1);
  }
  return together(writeTextRows([...changes.values()], tables, counts), documents.write(tables));
}
