import { quoteText } from '../text/quote.ts';
import type { Span } from '../text/sentences.ts';
import { blockSources, blockText, nameOf, type Block } from './block.ts';
import type { ContextCandidate, ContextItem, CountTokens } from './candidate.ts';
import { dayOf, lineOf, type Notes } from './line.ts';

/** A memory, a part of one or a turn, before it has a number. */
export interface MemoryEntry {
  readonly kind: 'memory' | 'passage' | 'turn';
  readonly memory: ContextCandidate;
  readonly span: Span;
  readonly notes: Notes;
}

/** A summary or a profile, before it has a number. */
export interface BlockEntry {
  readonly kind: Block['kind'];
  readonly block: Block;
}

export type Entry = MemoryEntry | BlockEntry;

const headings = {
  profile: 'About the user:',
  turn: 'Recent turns of this session:',
  memory: 'Memories:',
  summary: 'Summaries:',
} as const;

const headingOf = ({ kind }: Entry): string => headings[kind === 'passage' ? 'memory' : kind];

/** One line for each item, under headings unless all items are memories. */
export function textOf(entries: readonly Entry[]): string {
  const lines = entries.map((entry, index) => entryLine(entry, index + 1));
  if (entries.every((entry) => headingOf(entry) === headings.memory)) return lines.join('\n');
  return entries
    .flatMap((entry, index) => {
      const heading = headingOf(entry);
      const isFirst = index === 0 || headingOf(entries[index - 1]!) !== heading;
      return isFirst ? [heading, lines[index]!] : [lines[index]!];
    })
    .join('\n');
}

function entryLine(entry: Entry, n: number): string {
  if ('memory' in entry) return lineOf(n, entry.memory, entry.span, entry.notes);
  const note = entry.kind === 'summary' ? `(${nameOf(entry.block)}) ` : '';
  return `[${n}] ${note}${quoteText(blockText(entry.block))}`;
}

/** Whether a part of a memory is all of it except white space at its ends. */
export function isWhole({ content }: Pick<ContextCandidate, 'content'>, { start, end }: Span): boolean {
  return content.slice(start, end) === content.trim();
}

/** What an entry quotes, as it was stored. */
export function entryText(entry: Entry): string {
  return 'memory' in entry
    ? entry.memory.content.slice(entry.span.start, entry.span.end)
    : blockText(entry.block);
}

export function itemOf(entry: Entry, n: number, count: CountTokens): ContextItem {
  const common = { kind: entry.kind, tokens: count(entryLine(entry, n)), text: quoteText(entryText(entry)) };
  if ('block' in entry) {
    const { id, layer, generatedAt } = entry.block;
    const sources = blockSources(entry.block);
    const name = nameOf(entry.block);
    const made = generatedAt === undefined ? '' : `, ${dayOf(generatedAt)}`;
    const of = `${sources.length} ${sources.length === 1 ? 'memory' : 'memories'}`;
    return {
      ...common,
      id,
      layer,
      citation: `[${n}] ${entry.kind} of ${name}${made}, from ${of}`,
      sources: sources.map(({ id, externalId }) => ({ id, ...(externalId !== undefined && { externalId }) })),
    };
  }
  const { kind, memory, span } = entry;
  const { id, externalId, layer, time, trust, cited, representation } = memory;
  const isNotable = trust && (trust.source !== 'user' || trust.flags.length > 0);
  const name = kind === 'turn' ? 'turn' : cited === undefined ? `${layer} memory` : 'document';
  const form = representation === undefined ? '' : ` (${representation})`;
  return {
    ...common,
    id,
    ...(externalId !== undefined && { externalId }),
    layer,
    citation: `[${n}] ${name} ${quoteText(cited ?? externalId ?? id)}, ${dayOf(time)}${form}`,
    ...(representation !== undefined && { representation }),
    ...(isNotable && { trust: { source: trust.source, flags: trust.flags } }),
    ...(!isWhole(memory, span) && { start: span.start, end: span.end }),
  };
}
