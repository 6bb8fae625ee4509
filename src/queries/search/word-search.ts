import type { Region } from '../../domain/access/region.ts';
import { lexicalGeneration, usesLexicalIndex, usesWordsInMemory } from '../../read-models/lexical/variant.ts';
import {
  LexicalIndexUnavailable,
  mostAmong,
  mostResults,
  NoSuchGeneration,
  type LexicalIndex,
} from '../../ports/lexical-index.ts';
import type { Sql, SqlExecutor } from '../../ports/sql.ts';
import type { WordIndex, Words, WordSet } from '../../ports/word-index.ts';
import type { ReadView } from '../read-models.ts';
import { regionCondition } from '../scope-sql.ts';
import { Parameters } from '../sql-builder.ts';
import { Circuit } from './circuit.ts';
import { filterJoin, hasFilters, type MemoryFilters } from './filter-join.ts';

export interface WordRequest extends MemoryFilters {
  readonly region: Region;
  readonly queryText: string;
  /** How many memories are wanted. */
  readonly perEngine: number;
}

/** A tenant's words as a transaction sees them; undefined where they have just gone. */
export type WordsInMemory = (tx: SqlExecutor) => Promise<Words | undefined>;

/**
 * Ids that the lexical index found, best first; the words in memory, or `database`, where the live generation is to be
 * searched there; `away` where the index does not answer, or what is kept in memory is not there.
 */
export type WordMatches = readonly string[] | WordsInMemory | 'database' | 'away';

const patienceMs = 1_500;
const pauseMs = 5_000;
/** Of what the words find this many times more is asked for, where filters may take most of it away. */
const excess = 10;

/** Finds memories by their words in a lexical index. Filters stand in the database: what they take away is made up for. */
export class WordSearch {
  readonly #sql: Sql;
  readonly #index: LexicalIndex | undefined;
  readonly #inMemory: WordIndex | undefined;
  readonly #circuit = new Circuit({
    patienceMs,
    pauseMs,
    isAway: (error) => error instanceof LexicalIndexUnavailable || error instanceof NoSuchGeneration,
  });

  constructor(
    sql: Sql,
    {
      lexical,
      words,
    }: { readonly lexical?: LexicalIndex | undefined; readonly words?: WordIndex | undefined },
  ) {
    this.#sql = sql;
    this.#index = lexical;
    this.#inMemory = words;
  }

  /** Has what is kept in memory of a tenant's words loaded; undefined where they are not found there. Not inside a transaction. */
  async inMemory(view: ReadView, tenant: string): Promise<WordsInMemory | undefined> {
    const index = this.#inMemory;
    if (!index || !usesWordsInMemory(view.signature('lexical'))) return undefined;
    const set: WordSet = { tenant, table: view.table('lexical') };
    return (await index.ready(set)) ? (tx) => index.words(tx, set) : undefined;
  }

  async find(view: ReadView, request: WordRequest): Promise<WordMatches> {
    const signature = view.signature('lexical');
    if (usesWordsInMemory(signature)) return (await this.inMemory(view, request.region.tenant)) ?? 'away';
    if (!usesLexicalIndex(signature)) return 'database';
    const { perEngine } = request;
    const filtered = hasFilters(request);
    const limit = filtered ? Math.min(mostResults, perEngine * excess) : perEngine;
    const best = await this.#search(view, request, limit);
    if (best === undefined) return 'away';
    if (!filtered) return best;
    const matching = new Set(await this.#matching(view, request, { of: best }));
    const left = best.filter((id) => matching.has(id));
    // The words find no more, or enough is left.
    if (best.length < limit || left.length >= perEngine) return left;
    return this.#amongMatching(view, request);
  }

  /**
   * Looks among the memories that the filters let through, and no others, part by part. The best so far are looked among once
   * more with each part: the index tells their order and no scores that two answers could be merged by.
   */
  async #amongMatching(view: ReadView, request: WordRequest): Promise<WordMatches> {
    const limit = mostAmong - request.perEngine;
    let best: readonly string[] = [];
    for (let after: string | undefined; ;) {
      const among = await this.#matching(view, request, { after, limit });
      if (among.length > 0) {
        const found = await this.#search(view, request, request.perEngine, [...best, ...among]);
        if (found === undefined) return 'away';
        best = found;
      }
      if (among.length < limit) return best;
      after = among.at(-1);
    }
  }

  async #search(
    view: ReadView,
    { region, queryText: text }: WordRequest,
    limit: number,
    among?: readonly string[],
  ): Promise<string[] | undefined> {
    const index = this.#index;
    if (!index) return undefined;
    const generation = lexicalGeneration(view.generation('lexical'));
    return this.#circuit.ask(() =>
      index.search({ region, text, limit, ...(among && { among }) }, generation),
    );
  }

  /** Ids that the filters let through: all of those given, or the next after one. */
  async #matching(
    view: ReadView,
    request: WordRequest,
    { of, after, limit = mostAmong }: { of?: readonly string[]; after?: string | undefined; limit?: number },
  ): Promise<string[]> {
    const { region } = request;
    const parameters = new Parameters();
    const join = filterJoin(view, request, 'l', parameters);
    const given = of ? `and l.memory_id = any (${parameters.bind(of)}::uuid[])` : '';
    const later = after === undefined ? '' : `and l.memory_id > ${parameters.bind(after)}::uuid`;
    const rows = await this.#sql.queryAs<{ memory_id: string }>(
      region.tenant,
      `select l.memory_id from ${view.table('lexical')} l ${join}
       where l.body is not null and ${regionCondition(region, 'l', parameters)} ${given} ${later}
       order by l.memory_id limit ${parameters.bind(limit)}`,
      parameters.values,
    );
    return rows.map(({ memory_id }) => memory_id);
  }
}
