import { kinds, type MemoryBody } from './memories.ts';
import type { SearchRestrictions } from './recall.ts';

/** A search with certain restrictions. */
export interface Variant {
  readonly name: string;
  readonly restrictions: SearchRestrictions;
  /** Whether the restrictions allow a memory. */
  readonly allows: (memory: MemoryBody) => boolean;
}

export const plain: Variant = { name: 'all', restrictions: {}, allows: () => true };

export const oneTeam: Variant = {
  name: 'one team, .6 %',
  restrictions: { layers: ['team'], scope: { team: 'team7' } },
  allows: ({ layer, scope }) => layer === 'team' && scope['team'] === 'team7',
};

const half = kinds.slice(0, kinds.length / 2);
const [kind, tag] = [kinds[1]!, 'topic-3'];

/** Variants that allow from all of `size` memories down to very few. */
export function variantsOf(size: number): readonly Variant[] {
  return [
    plain,
    {
      name: 'filter, 50 %',
      restrictions: { filter: { 'metadata.kind': { in: half } } },
      allows: ({ metadata }) => half.includes(metadata.kind),
    },
    {
      name: 'filter, 10 %',
      restrictions: { filter: { 'metadata.kind': { eq: kind } } },
      allows: ({ metadata }) => metadata.kind === kind,
    },
    { name: 'tag, 5 %', restrictions: { tags: [tag] }, allows: ({ tags }) => tags.includes(tag) },
    {
      name: 'tag and filter, .5 %',
      restrictions: { tags: [tag], filter: { 'metadata.kind': { eq: kind } } },
      allows: ({ tags, metadata }) => tags.includes(tag) && metadata.kind === kind,
    },
    {
      name: 'range of numbers, 1 %',
      restrictions: { filter: { 'metadata.serial': { lt: size / 100 } } },
      allows: ({ metadata }) => metadata.serial < size / 100,
    },
    oneTeam,
  ];
}
