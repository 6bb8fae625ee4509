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

/** The names that one Stratalog uses on the cluster. A dot separates, so that no prefix is the beginning of another's names. */
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
   * Writes go through an alias of their own: they can require one, and then a writer that comes too late does not make
   * the dropped index anew, with a mapping guessed from its document.
   */
  write(generation: GenerationName): string {
    return this.index(generation).replace('.', '-write.');
  }

  generation(index: string): GenerationName {
    return index.slice(this.serving.length + 1);
  }
}

/** A generation's index: its mapping takes no field that is not named here. */
export function definitionOf(writeAlias: string, shards: number): API.Indices_Create_RequestBody {
  return {
    aliases: { [writeAlias]: { is_write_index: true } },
    settings: {
      index: {
        number_of_shards: shards,
        // A copy where there is a second node to hold it.
        auto_expand_replicas: '0-1',
        // The writer decides when its documents are to be found.
        refresh_interval: '-1',
        // Of what an erasure left no segment may keep a tenth.
        merge: { policy: { expunge_deletes_allowed: 0 } },
      },
    },
    mappings: {
      dynamic: 'strict',
      _routing: { required: true },
      // Texts are found here and read elsewhere.
      _source: { excludes: ['body'] },
      properties: {
        tenant: keyword,
        memoryId: keyword,
        revision: { type: 'long' },
        deleted: { type: 'boolean' },
        layer: keyword,
        scope: { properties: { ...scopeFields } },
        textHash: keyword,
        // Words are looked for one by one: their places would only take room.
        body: { type: 'text', analyzer: 'english', index_options: 'freqs' },
      },
    },
  };
}
