import type { Layer } from '../../domain/layers.ts';
import { termText } from '../../domain/text/term-text.ts';
import { lexicalGeneration } from '../../read-models/lexical/variant.ts';
import {
  DocumentsRefused,
  LexicalIndexUnavailable,
  NoSuchGeneration,
  type LexicalDocument,
  type LexicalIndex,
} from '../../ports/lexical-index.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import type { ExternalStore } from '../projection.ts';
import type { Tables } from '../../read-models/table.ts';
import { scopeOf } from '../scope-columns.ts';
import { digestOfDocuments } from './index-digest.ts';
import { Refresher } from './refresher.ts';
import type { TextChange } from './text-changes.ts';

/** The documents of the lexical read model in the index, for each generation. */
export class IndexDocuments implements ExternalStore {
  readonly #index: LexicalIndex;
  readonly #refreshers = new Map<string, Refresher>();

  constructor(index: LexicalIndex) {
    this.#index = index;
  }

  /**
   * Writes the changed documents and resolves when searches find them. Rejects with `DocumentsRefused` if the documents are at fault, and
   * with `LexicalIndexUnavailable` for anything else: a wrong password must not park streams.
   */
  async write(generation: number, changes: readonly TextChange[]): Promise<void> {
    if (changes.length === 0) return;
    const name = lexicalGeneration(generation);
    try {
      await this.#index.write(name, changes.map(documentOf));
      await this.#refresher(name).refresh();
    } catch (error) {
      if (error instanceof DocumentsRefused || error instanceof LexicalIndexUnavailable) throw error;
      throw new LexicalIndexUnavailable(`the lexical index cannot be written: ${String(error)}`, {
        cause: error,
      });
    }
  }

  /** Rejects if there are documents already: they belong to another database, and this one would overwrite them. */
  async create(generation: number): Promise<void> {
    const name = lexicalGeneration(generation);
    await this.#index.createGeneration(name);
    await this.#index.refresh(name);
    const { active, deleted } = await this.#index.count(name);
    if (active + deleted === 0) return;
    throw new Error(
      `the lexical index already holds ${active + deleted} documents under ${name}: give this database an index prefix of its own, or delete that index if nobody needs it`,
    );
  }

  async drop(generation: number): Promise<void> {
    const name = lexicalGeneration(generation);
    await this.#index.dropGeneration(name);
    this.#refreshers.delete(name);
  }

  async digest(generation: number, executor: SqlExecutor, tables: Tables): Promise<string> {
    try {
      return await digestOfDocuments(
        this.#index.list(lexicalGeneration(generation), 5_000),
        executor,
        tables,
      );
    } catch (error) {
      // This value equals no other digest, so that a rebuild can replace the lost index.
      if (error instanceof NoSuchGeneration) return 'no index';
      throw error;
    }
  }

  #refresher(name: string): Refresher {
    const present = this.#refreshers.get(name) ?? new Refresher(() => this.#index.refresh(name));
    this.#refreshers.set(name, present);
    return present;
  }
}

function documentOf({ tenant, memoryId, revision, row }: TextChange): LexicalDocument {
  if (row?.body === undefined) return { tenant, memoryId, revision, deleted: true };
  const { counts, layer } = row;
  const body = termText(counts);
  return { tenant, memoryId, revision, deleted: false, layer: layer as Layer, scope: scopeOf(row), body };
}
