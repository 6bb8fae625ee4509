import { memoryEvents, type MemoryEvent } from '../../domain/memory/events.ts';
import type { Embedder, Embedders, EmbeddingModel, TextRefused } from '../../ports/embedder.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import { textHash } from '../../support/text-hash.ts';
import { digestOf } from '../../read-models/digest.ts';
import { representationsKey } from '../../read-models/vectors/representations.ts';
import { ofMemory, rowsWith } from '../holding.ts';
import { declaredBy, type PrepareContext, type Projection } from '../projection.ts';
import type { Tables } from '../../read-models/table.ts';
import { memoryKey, memoryOf, rowsOf, type MemoryKey } from '../memory-rows.ts';
import { removeRows, together, upsert, type Write } from '../write.ts';
import {
  passageVectorTable,
  refusedTextTable,
  spaceVectorTable,
  supersededVectorTable,
  vectorTable,
} from '../../read-models/vectors/tables.ts';
import { embedTexts, type TextByHash } from './embed-texts.ts';
import { KeptVectors, keptTable } from './kept-vectors.ts';
import { liveMemories } from './live-memories.ts';
import {
  hashedPassages,
  hashedRepresentations,
  PassageVectors,
  type HashedPassage,
} from './passage-vectors.ts';
import { RefusedTexts, type RefusedText } from './refused-texts.ts';
import { purgeSpaceVectors } from './space-vectors.ts';
import { present, rowsAfter, vectorRows, type VectorRow } from './vector-rows.ts';

interface Prepared {
  /** New vectors of this batch by text hash; the others exist already. */
  readonly made: ReadonlyMap<string, Float32Array>;
  /** The memories, by `memoryKey`, whose vectors of this batch are written already. */
  readonly kept: ReadonlySet<string>;
  /** The passages of the long texts of this batch, by the hash of the text. */
  readonly passages: ReadonlyMap<string, readonly HashedPassage[]>;
  /** The representations that this batch sets. */
  readonly representations: readonly NewRepresentations[];
  /** The texts of this batch, and those of them that the model does not embed. Both only for a model that may refuse some. */
  readonly texts: readonly Text[];
  readonly refused: readonly RefusedText[];
}

/** The vectors of one model, which all its generations share. */
interface Shared {
  readonly kept: KeptVectors;
  readonly passages: PassageVectors;
  /** Given for a model behind an endpoint: those of this machine embed every text. */
  readonly refused: RefusedTexts | undefined;
}

/**
 * The read model `vectors`. A generation says which text of each memory has a vector. The vectors themselves, with their HNSW index, are kept once for each model,
 * guarded by the revision of the memory: a rebuild embeds only what is missing, and a generation that lags behind cannot undo what a newer
 * event wrote. Up to `maxOutsideIndex` vectors of a tenant are left out of the index. A long text has vectors of its passages too.
 * A text that the model refuses stays without a vector, and is tried again by `TextBacklog`.
 */
export function vectors(
  embedders: Embedders,
  model: EmbeddingModel = embedders.preferred,
  maxOutsideIndex?: number,
): Projection<Prepared> {
  const embedder = embedders.of(model.id);
  if (!embedder) throw new RangeError(`no model ${model.id}`);
  const registered = embedders.find(model.id);
  const shared: Shared = {
    refused: registered?.endpointModel === undefined ? undefined : new RefusedTexts(registered),
    kept: new KeptVectors(model, maxOutsideIndex),
    passages: new PassageVectors(model, keptTable(model), maxOutsideIndex),
  };
  return {
    name: 'vectors',
    version: 3,
    variant: model.id,
    batchSize: 8,
    largeBatchSize: 256,
    handles: memoryEvents,
    ...declaredBy(vectorRows),
    create: (tables) => [...vectorRows.create(tables), ...shared.kept.create(), ...shared.passages.create()],
    prepare: (events, context) =>
      prepare(embedder, shared, events as readonly LoadedEvent<MemoryEvent>[], context),
    plan: (events, executor, tables, prepared) =>
      plan(shared, events as readonly LoadedEvent<MemoryEvent>[], executor, tables, prepared),
    holds: (tables) =>
      rowsWith(
        [tables(vectorRows.name), ofMemory],
        [keptTable(model), ofMemory],
        [supersededVectorTable(model.id), ofMemory],
        [passageVectorTable(model.id), ofMemory],
        [refusedTextTable, ofMemory],
        [spaceVectorTable, ofMemory],
      ),
    // Includes whether the kept vector and the passages belong to the text of this generation.
    digest: (tables) =>
      digestOf(`${tables(vectorRows.name)} v left join ${keptTable(model)} k using (tenant, memory_id)`, {
        tenant: 'text',
        memory_id: 'uuid',
        'v.revision': 'integer',
        'v.text_hash': 'text',
        'v.passages': 'integer',
        active: 'boolean',
        'k.text_hash = v.text_hash and (k.embedding is not null) = v.active': 'boolean',
        [`(select count(*) from ${passageVectorTable(model.id)} p
           where p.tenant = v.tenant and p.memory_id = v.memory_id and p.text_hash = v.text_hash) = v.passages`]:
          'boolean',
      }),
    inVariant: (id) => {
      const other = embedders.models.find((registered) => registered.id === id);
      return other && vectors(embedders, other, maxOutsideIndex);
    },
    sharedTables,
    purgeShared: (id, live) =>
      [...sharedTables(id), refusedTextTable, spaceVectorTable].map(
        (table) =>
          `delete from ${table} k where not exists (
             select 1 from ${live(vectorRows.name)} v where v.tenant = k.tenant and v.memory_id = k.memory_id)`,
      ),
  };
}

function sharedTables(modelId: string): readonly string[] {
  return [vectorTable(modelId), supersededVectorTable(modelId), passageVectorTable(modelId)];
}

/** Texts for some seconds of work of the model: at most this much is repeated after a crash, however large the batch. */
const embeddingBatch = 256;

async function prepare(
  embedder: Embedder,
  shared: Shared,
  events: readonly LoadedEvent<MemoryEvent>[],
  { sql, tables, early }: PrepareContext,
): Promise<Prepared> {
  const latest = latestTexts(events);
  const passages = new Map<string, readonly HashedPassage[]>();
  for (const { text, text_hash } of latest) {
    const own = await hashedPassages(text);
    if (own.length > 0) passages.set(text_hash, own);
  }
  const needs = await missingTexts(shared, sql, latest, passages);
  const made = new Map<string, Float32Array>();
  const refusals = new Map<string, TextRefused>();
  const embed = async (texts: readonly TextByHash[]): Promise<void> => {
    for (const [hash, outcome] of await embedTexts(embedder, texts))
      if (outcome instanceof Float32Array) made.set(hash, outcome);
      else refusals.set(hash, outcome);
  };
  const representations = await newRepresentations(events);
  const lacking = await shared.passages.missing(sql, representations, passagesByHash(representations));
  await embed(
    representations.flatMap((own) =>
      (lacking.get(memoryKey(own)) ?? []).map(({ hash, text }): TextByHash => [
        hash,
        text,
        own.tenant,
        own.spaces ?? [],
      ]),
    ),
  );
  const prepared = (kept: ReadonlySet<string>): Prepared => ({
    made,
    kept,
    passages,
    representations,
    texts: shared.refused ? latest : [],
    refused: shared.refused ? refusedAmong(latest, refusals) : [],
  });
  if (!early || needs.size === 0) {
    await embed([...needs.values()].flat());
    return prepared(new Set());
  }
  // The index takes most of the time of a batch. With several transactions at once, only new memories are written early, which needs no existing rows. With one
  // connection each transaction blocks everything else, so it must be short.
  const before = early.lanes > 1 ? new Map() : await rowsOf(events, sql, tables, vectorRows);
  const rows = present(rowsAfter(events, before, passages)).filter((row) => needs.has(memoryKey(row)));
  const done = new Set<string>();
  for (let at = 0; at < rows.length;) {
    const some: VectorRow[] = [];
    const texts: TextByHash[] = [];
    while (at < rows.length && texts.length < embeddingBatch) {
      texts.push(...needs.get(memoryKey(rows[at]!))!);
      some.push(rows[at++]!);
    }
    await embed(texts);
    await shared.kept.writeEarly(early, some, made, async (tx, slice) =>
      shared.passages.addToIndex(tx, await shared.passages.insert(tx, slice, passages, made)),
    );
    for (const row of some) done.add(memoryKey(row));
  }
  const others = [...needs].filter(([key]) => !done.has(key)).flatMap(([, texts]) => texts);
  await embed(others);
  return prepared(done);
}

function refusedAmong(
  texts: readonly Text[],
  refusals: ReadonlyMap<string, TextRefused>,
): readonly RefusedText[] {
  return texts.flatMap(({ text: _, ...text }) => {
    const refusal = refusals.get(text.text_hash);
    return refusal ? [{ ...text, error: refusal.message }] : [];
  });
}

/** The texts to embed, of memories and of their passages, by `memoryKey`. */
async function missingTexts(
  { kept, passages, refused }: Shared,
  sql: SqlExecutor,
  latest: readonly Text[],
  passagesOfText: Prepared['passages'],
): Promise<ReadonlyMap<string, readonly TextByHash[]>> {
  const without = await kept.missing(sql, latest);
  const known = await refused?.known(sql, without);
  const whole = new Set(without.filter((text) => !known?.has(text)));
  const parts = await passages.missing(sql, latest, passagesOfText);
  // Models of this machine cost nothing.
  const labels = refused ? await labelsOf(sql, latest) : undefined;
  const needs = new Map<string, readonly TextByHash[]>();
  for (const text of latest) {
    const spaces = labels?.get(text) ?? [];
    const own: TextByHash[] = [
      ...(whole.has(text) ? [[text.text_hash, text.text, text.tenant, spaces] as const] : []),
      ...(parts.get(memoryKey(text)) ?? []).map(
        (passage) => [passage.hash, passage.text, text.tenant, spaces] as const,
      ),
    ];
    if (own.length > 0) needs.set(memoryKey(text), own);
  }
  return needs;
}

/** The labels of memories, also of those whose event leaves them as they are: these are looked up in `memories`. */
async function labelsOf(
  sql: SqlExecutor,
  texts: readonly Text[],
): Promise<ReadonlyMap<Text, readonly string[]>> {
  const unnamed = texts.filter(({ spaces }) => spaces === undefined);
  const table = unnamed.length === 0 ? undefined : await liveMemories(sql);
  const rows = table
    ? await sql.query<MemoryKey & { spaces: readonly string[] }>(
        `select tenant, memory_id, spaces from ${table}
         where (tenant, memory_id) in (select * from unnest($1::text[], $2::uuid[])) and to_position is null`,
        [unnamed.map(({ tenant }) => tenant), unnamed.map(({ memory_id: id }) => id)],
      )
    : [];
  const known = new Map(rows.map((row) => [memoryKey(row), row.spaces]));
  return new Map(texts.map((text) => [text, text.spaces ?? known.get(memoryKey(text)) ?? []]));
}

interface Text {
  readonly tenant: string;
  readonly memory_id: string;
  readonly revision: number;
  readonly text: string;
  readonly text_hash: string;
  /** Its labels, as far as the event says. */
  readonly spaces: readonly string[] | undefined;
  readonly stream: string;
  readonly position: number;
  readonly type: string;
}

/** The last text of each memory in the batch: texts that the batch itself replaces need no vector. */
function latestTexts(events: readonly LoadedEvent<MemoryEvent>[]): Text[] {
  const wanted = new Map<string, Text>();
  for (const { event, metadata, stream, revision, position, erased } of events) {
    const { tenant } = metadata;
    const key = memoryKey({ tenant, memory_id: event.data.memoryId });
    if (erased || event.type === 'MemoryErased') wanted.delete(key);
    else if (
      (event.type === 'MemoryStored' || event.type === 'MemoryUpdated') &&
      event.data.content !== undefined
    ) {
      const { memoryId: memory_id, content: text, spaces } = event.data;
      const { type } = event;
      const text_hash = textHash(text);
      wanted.set(key, { tenant, memory_id, revision, text, text_hash, spaces, stream, position, type });
    }
  }
  return [...wanted.values()];
}

/** The representations that an event set. */
interface NewRepresentations extends MemoryKey {
  readonly revision: number;
  /** Their `representationsKey`. */
  readonly text_hash: string;
  readonly passages: readonly HashedPassage[];
  readonly spaces: readonly string[] | undefined;
}

/** The last representations of each memory in the batch; of a new memory without any, none. */
async function newRepresentations(
  events: readonly LoadedEvent<MemoryEvent>[],
): Promise<readonly NewRepresentations[]> {
  const latest = new Map<string, LoadedEvent<MemoryEvent>>();
  for (const fact of events) {
    const { event, erased } = fact;
    const key = memoryKey(memoryOf(fact));
    if (erased || event.type === 'MemoryErased') latest.delete(key);
    else if (event.type === 'MemoryStored' || event.type === 'MemoryUpdated') {
      const { representations } = event.data;
      const isNone = event.type === 'MemoryStored' && Object.keys(event.data.representations).length === 0;
      if (representations && !isNone) latest.set(key, fact);
    }
  }
  return Promise.all(
    Array.from(latest.values(), async (fact) => {
      const { representations = {}, spaces } = (fact.event as MemoryEvent & SetsRepresentations).data;
      const passages = await hashedRepresentations(representations);
      const text_hash = representationsKey(representations, fact.revision);
      return { ...memoryOf(fact), revision: fact.revision, text_hash, passages, spaces };
    }),
  );
}

function passagesByHash(
  representations: readonly NewRepresentations[],
): ReadonlyMap<string, readonly HashedPassage[]> {
  return new Map(representations.map(({ text_hash, passages }) => [text_hash, passages]));
}

type SetsRepresentations = Extract<MemoryEvent, { readonly type: 'MemoryStored' | 'MemoryUpdated' }>;

async function plan(
  shared: Shared,
  events: readonly LoadedEvent<MemoryEvent>[],
  executor: SqlExecutor,
  tables: Tables,
  prepared: Prepared,
): Promise<Write> {
  const before = await rowsOf(events, executor, tables, vectorRows);
  const after = rowsAfter(events, before, prepared.passages);
  const rows = present(after);
  const gone = events.map(memoryOf).filter((memory) => after.get(memoryKey(memory)) === undefined);
  return together(upsert(tables, vectorRows, rows), removeRows(tables, vectorRows, gone), (tx) =>
    keep(shared, { rows, gone }, tx, prepared),
  );
}

interface Changes {
  readonly rows: readonly VectorRow[];
  readonly gone: readonly MemoryKey[];
}

/** Writes the changes to the kept vectors, which all generations of a model share. */
async function keep(
  { kept, passages, refused }: Shared,
  { rows, gone }: Changes,
  tx: SqlExecutor,
  prepared: Prepared,
): Promise<void> {
  const others = rows.filter((row) => !prepared.kept.has(memoryKey(row)));
  const inserted = await kept.insert(tx, others, prepared.made);
  await kept.update(tx, rows, prepared.made);
  const grown = await passages.insert(tx, others, prepared.passages, prepared.made);
  const rowOf = new Map(rows.map((row) => [memoryKey(row), row]));
  const replaced = prepared.representations.flatMap(({ text_hash, revision, ...memory }) => {
    const row = rowOf.get(memoryKey(memory));
    return row ? [{ ...row, text_hash, revision }] : [];
  });
  const grownToo = await passages.replaceRepresentations(
    tx,
    replaced,
    passagesByHash(prepared.representations),
    prepared.made,
  );
  await passages.follow(
    tx,
    rows.filter(({ revision, active }) => revision > 0 || !active),
  );
  // In this order, to avoid deadlocks: a writer of passages locks the row of the whole text first.
  await kept.purge(tx, gone);
  await passages.purge(tx, gone);
  await purgeSpaceVectors(tx, gone);
  if (refused) {
    const { made, texts } = prepared;
    await refused.release(
      tx,
      texts.map((text) => ({ ...text, embedded: made.has(text.text_hash) })),
    );
    await refused.record(tx, prepared.refused);
    await refused.forget(tx, gone);
  }
  await kept.addToIndex(tx, inserted);
  await passages.addToIndex(tx, grown);
  await passages.addToIndex(tx, grownToo);
}
