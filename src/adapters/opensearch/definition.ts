import type { API } from '@opensearch-project/opensearch';
import type { ScopeKey } from '../../domain/layers.ts';
import type { GenerationName } from '../../ports/lexical-index.ts';

const keyword = { type: 'keyword' } as const;

const scopeFields: Readonly<Record<ScopeKey, typeof keyword>> = {
  org: keyword,
  team: keyword,
  project: keyword,
  session: keyword,
  user: keyword,
  agent: keyword,
};

/** The names that one Stratalog uses on the cluster. The dot keeps one prefix from matching the names of another. */
export class IndexNames {
  /** The alias for readers from outside. */
  readonly serving: string;
  readonly all: string;

  constructor(prefix: string) {
    if (!/^[a-z0-9][a-z0-9_-]{0,99}$/.test(prefix))
      throw new RangeError(`an index prefix is 1 to 100 of a-z, 0-9, _ and -, not ${JSON.stringify(prefix)}`);
    this.serving = prefix;
    this.all = `${prefix}.*`;
  }

  index(generation: GenerationName): string {
    if (!/^[a-z0-9][a-z0-9_-]{0,99}$/.test(generation))
      throw new RangeError(
        `a generation's name is 1 to 100 of a-z, 0-9, _ and -, not ${JSON.stringify(generation)}`,
      );
    return `${this.serving}.${generation}`;
  }

  /**
   * Alias for writes. Requests that require an alias fail after the index was dropped; otherwise a late writer would recreate
   * the index with a mapping guessed from its document.
   */
  write(generation: GenerationName): string {
    return this.index(generation).replace('.', '-write.');
  }

  generation(index: string): GenerationName {
    return index.slice(this.serving.length + 1);
  }
}

/** The index of a generation. Its strict mapping rejects fields that are not listed here. */
export function definitionOf(writeAlias: string, shards: number): API.Indices_Create_RequestBody {
  return {
    aliases: { [writeAlias]: { is_write_index: true } },
    settings: {
      index: {
        number_of_shards: shards,
        // One replica if there is a second node.
        auto_expand_replicas: '0-1',
        // The writer refreshes explicitly.
        refresh_interval: '-1',
        // By default segments with less than 10 % of deleted documents are not rewritten: erased texts would stay.
        merge: { policy: { expunge_deletes_allowed: 0 } },
      },
    },
    mappings: {
      dynamic: 'strict',
      _routing: { required: true },
      // The texts are searched here, but read from the database.
      _source: { excludes: ['body'] },
      properties: {
        tenant: keyword,
        memoryId: keyword,
        revision: { type: 'long' },
        deleted: { type: 'boolean' },
        layer: keyword,
        scope: { properties: { ...scopeFields } },
        textHash: keyword,
        // There are no phrase queries, so positions of words would only take space.
        body: { type: 'text', analyzer: 'english', index_options: 'freqs' },
      },
    },
  };
}
