import type { Embedder } from '../ports/embedder.ts';
import { audit } from './audit/audit.ts';
import { lexical } from './lexical/lexical.ts';
import { links } from './links/links.ts';
import { memories } from './memories/memories.ts';
import type { Projection } from './projection.ts';
import { statistics } from './statistics/statistics.ts';
import { usage } from './usage/usage.ts';
import { vectors } from './vectors/vectors.ts';

/** Every read model of this program. */
export function allProjections(embedder: Embedder): readonly Projection[] {
  return [memories, lexical, vectors(embedder), links, usage, statistics, audit];
}
