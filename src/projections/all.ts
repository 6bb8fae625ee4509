import type { Embedders } from '../ports/embedder.ts';
import { audit } from './audit/audit.ts';
import { fields } from './fields/fields.ts';
import { lexical, type OtherWords } from './lexical/lexical.ts';
import { links } from './links/links.ts';
import { memories } from './memories/memories.ts';
import type { Projection } from './projection.ts';
import { statistics } from './statistics/statistics.ts';
import { usage } from './usage/usage.ts';
import { vectors } from './vectors/vectors.ts';

/** What finds memories in the place of the database's own indexes. */
export interface OtherIndexes {
  /** Where words are found. */
  readonly words?: OtherWords | undefined;
  /** Up to so many vectors of a tenant are compared in memory, and stand in no index of the database. */
  readonly vectorsInMemory?: number | undefined;
}

/** Every read model of this program. */
export function allProjections(embedders: Embedders, others: OtherIndexes = {}): readonly Projection[] {
  return [
    memories,
    lexical(others.words),
    vectors(embedders, embedders.preferred, others.vectorsInMemory),
    links,
    usage,
    statistics,
    fields,
    audit,
  ];
}
