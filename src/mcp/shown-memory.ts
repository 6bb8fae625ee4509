import { sectionText } from '../domain/documents/source.ts';
import type { MemoryView } from '../domain/memory/view.ts';
import { refutationOf, type refutingKinds } from '../domain/ranking/feedback.ts';
import { trustNote } from '../domain/trust/note.ts';
import { indentFollowingLines, indentLines } from '../domain/text/quote.ts';
import { isWhole, partOf, restOf, type Part } from './cut.ts';

/** Which part of the content is shown, in UTF-16 units. */
interface Cut {
  readonly start: number;
  readonly shown: number;
  readonly length: number;
  /** How to get the rest. */
  readonly rest: string;
}

/** A memory by itself. `cut` is absent if the content is the whole one. */
export type WholeMemory = MemoryView & { readonly cut?: Cut };

/** A memory of a list of results. */
export type ListedMemory = Pick<
  WholeMemory,
  | 'id'
  | 'content'
  | 'layer'
  | 'scope'
  | 'spaces'
  | 'tags'
  | 'metadata'
  | 'occurredAt'
  | 'createdAt'
  | 'updatedAt'
  | 'revision'
  | 'state'
  | 'source'
  | 'cut'
> & {
  /** Where it came from and what rules noticed, if that is worth the tokens. */
  readonly origin?: string;
  /** Callers judged that it does not hold. */
  readonly refuted?: (typeof refutingKinds)[number];
};

/** Maximum number of UTF-16 units of a content in a list of results. */
export const maxListed = 2_000;

/** A memory of a list, with at most `most` units of its content: of a longer one, those from `start` on. */
export function listed(memory: MemoryView, most = maxListed, start = 0): ListedMemory {
  const { id, layer, scope, spaces, tags, metadata, occurredAt, createdAt, updatedAt } = memory;
  const { revision, state, source } = memory;
  const refuted = refutationOf(memory.feedback);
  const origin = trustNote(memory.trust);
  const place = { layer, scope, spaces, tags, metadata };
  const times = { ...(occurredAt !== undefined && { occurredAt }), createdAt, updatedAt };
  return {
    id,
    ...contentOf(memory, partOf(memory.content, memory.content.length > most ? start : 0, most)),
    ...place,
    ...times,
    revision,
    state,
    ...(source && { source }),
    ...(refuted !== undefined && { refuted }),
    ...(origin !== undefined && { origin }),
  };
}

export function whole(memory: MemoryView, start: number, most: number): WholeMemory {
  return { ...memory, ...contentOf(memory, partOf(memory.content, start, most)) };
}

function contentOf({ id }: MemoryView, part: Part): Pick<WholeMemory, 'content' | 'cut'> {
  if (isWhole(part)) return { content: part.text };
  const { text, start, length } = part;
  const next = restOf(part);
  const others = [...(start > 0 ? [0] : []), ...(next === undefined ? [] : [next])];
  const rest = `call memory_get with memory_id ${id} and start ${others.join(' or ')}`;
  return { content: text, cut: { start, shown: text.length, length, rest } };
}

/** One line about a memory, with its content indented below, so that no line of it looks like part of the answer. */
export function inWords(memory: ListedMemory | WholeMemory, remark = ''): string {
  const { id, content, layer, spaces, tags, occurredAt, createdAt, state, revision, source, cut } = memory;
  const refuted = 'feedback' in memory ? refutationOf(memory.feedback) : memory.refuted;
  const origin = 'trust' in memory ? trustNote(memory.trust) : memory.origin;
  const facts = [
    `layer ${layer}`,
    ...(spaces.length > 0 ? [`space ${spaces.join(', ')}`] : []),
    ...(tags.length > 0 ? [`tags ${tags.join(', ')}`] : []),
    ...(occurredAt === undefined ? [] : [`occurred ${occurredAt.slice(0, 10)}`]),
    `stored ${createdAt.slice(0, 10)}`,
    `revision ${revision}`,
    ...(state === 'active' ? [] : [state]),
    ...(refuted === undefined ? [] : [`judged ${refuted}`]),
    ...(origin === undefined ? [] : [origin]),
    ...(source === undefined ? [] : [`section ${sectionText(source)}`]),
  ];
  const part = cut
    ? [`[characters ${cut.start} to ${cut.start + cut.shown} of ${cut.length}; for the rest, ${cut.rest}]`]
    : [];
  const about = indentFollowingLines(`${remark}memory ${id} (${facts.join('; ')})`);
  return [about, indentLines(content), ...part].join('\n');
}
