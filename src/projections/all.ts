import type { Embedders } from '../ports/embedder.ts';
import type { LexicalIndex } from '../ports/lexical-index.ts';
import { audit } from './audit/audit.ts';
import { fields } from './fields/fields.ts';
import { lexical } from './lexical/lexical.ts';
import { links } from './links/links.ts';
import { memories } from './memories/memories.ts';
import type { Projection } from './projection.ts';
import { statistics } from './statistics/statistics.ts';
import { usage } from './usage/usage.ts';
import { vectors } from './vectors/vectors.ts';

/** Every read model of this program. With `index` words are found there, not in the database. */
export function allProjections(embedders: Embedders, index?: LexicalIndex): readonly Projection[] {
  return [memories, lexical(index), vectors(embedders), links, usage, statistics, fields, audit];
}
