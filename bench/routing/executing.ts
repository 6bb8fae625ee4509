// Executes a plan with filtered searches. Results that meet the conditions come first, then those that only resemble the question.
import { test } from '../../src/domain/build-filter.ts';
import { innermostContainer, type Scope } from '../../src/domain/layers.ts';
import { mentionsFilter, mentionsIn } from '../../src/domain/routing/mentions.ts';
import type { Filter } from '../../src/domain/filter.ts';
import type { Operand, Plan } from '../../src/domain/routing/plan.ts';
import type { Vocabulary } from '../../src/domain/routing/vocabulary.ts';
import type { MemorySearch, Stored } from './memory-search.ts';

/** The parts of a plan to execute. Each can be left out to measure its benefit. */
export const PARTS = ['operands', 'otherwise', 'follow'] as const;
export type Part = (typeof PARTS)[number];

export interface Tenant {
  readonly search: MemorySearch;
  readonly vocabulary: Vocabulary;
  /** The vector of a query. */
  readonly vector: (query: string) => Float32Array;
}

/** The best `top` memories, best first. */
export function execute(
  tenant: Tenant,
  question: string,
  { operands }: Plan,
  parts: ReadonlySet<Part>,
  top: number,
): Stored[] {
  const find = (query: string, filter?: Filter) =>
    tenant.search.search(query, tenant.vector(query), filter, top);
  const asked = parts.has('operands') ? operands : operands.slice(0, 1);
  const meeting = asked.map((operand) => distinct(meetingOf(tenant, operand, parts, find)));
  const resembling = asked.map(({ query }) => find(query));
  return distinct([...interleave(meeting), ...interleave(resembling), ...find(question)]).slice(0, top);
}

function meetingOf(
  { vocabulary }: Tenant,
  { query, filter, otherwise = [], follow }: Operand,
  parts: ReadonlySet<Part>,
  find: (query: string, filter: Filter) => Stored[],
): Stored[] {
  if (!filter) return [];
  const found = [filter, ...(parts.has('otherwise') ? otherwise : [])].flatMap((one) => find(query, one));
  const [first] = found;
  if (!first || !follow || !parts.has('follow')) return found;
  if (follow === 'scope') return [...found, ...under(placeFilter(first.scope), query, find)];
  // The chunks of a document are treated as one, because any of them may name others.
  const named = found
    .slice(0, 4)
    .flatMap(({ content }) => under(mentionsFilter(mentionsIn(content, first, vocabulary)), query, find));
  return [...found, ...named];
}

function placeFilter(scope: Scope): Filter | undefined {
  const place = innermostContainer(scope);
  return place && test(`scope.${place.key}`, 'eq', place.value);
}

function under(
  filter: Filter | undefined,
  query: string,
  find: (query: string, filter: Filter) => Stored[],
): Stored[] {
  return filter ? find(query, filter) : [];
}

function distinct(memories: readonly Stored[]): Stored[] {
  return [...new Set(memories)];
}

/** Interleaves lists: the first of each, then the second of each, … */
function interleave(lists: readonly (readonly Stored[])[]): Stored[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list.slice(i, i + 1))).flat();
}
