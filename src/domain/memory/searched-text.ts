import { completed, type Steps } from '../steps.ts';
import { passageSteps, type Passage } from '../text/passages.ts';
import { representationKinds, type Representations } from './content.ts';

export type RepresentationKind = (typeof representationKinds)[number];

/** What searches compare of a memory. */
export interface SearchedText {
  readonly content: string;
  readonly representations: Representations;
}

/** A passage of a memory. */
export interface SearchedPassage extends Passage {
  /** The representation that its offsets are in; absent for the content. */
  readonly representation?: RepresentationKind;
}

/**
 * The passages of a memory: those of its content, then those of its representations, of which even a short one is a passage. A short content
 * is a passage only if representations compete with it. A memory without representations has the passages of its content.
 */
export function* searchedPassageSteps(text: SearchedText): Steps<readonly SearchedPassage[]> {
  const own = yield* passageSteps(text.content);
  const others = yield* representationPassageSteps(text.representations);
  if (others.length === 0) return own;
  return [...(own.length > 0 ? own : [wholeOf(text.content)]), ...others];
}

export function searchedPassages(text: SearchedText): readonly SearchedPassage[] {
  return completed(searchedPassageSteps(text));
}

/** The passages of representations, in the order of their kinds. */
export function* representationPassageSteps(
  representations: Representations,
): Steps<readonly SearchedPassage[]> {
  const passages: SearchedPassage[] = [];
  for (const [representation, text] of representationsIn(representations)) {
    const own = yield* passageSteps(text);
    for (const passage of own.length > 0 ? own : [wholeOf(text)])
      passages.push({ ...passage, representation });
  }
  return passages;
}

/** The text that the offsets of a passage are in. */
export function textAround(
  { content, representations }: SearchedText,
  { representation }: { readonly representation?: RepresentationKind | undefined },
): string {
  return representation === undefined ? content : (representations[representation] ?? '');
}

/** Content and representations one by one, to count their words. */
export function textsOf({ content, representations }: SearchedText): readonly string[] {
  return [content, ...representationsIn(representations).map(([, text]) => text)];
}

/**
 * A noncharacter, which Unicode reserves for the inside of programs. It stands before the kind of each representation in `joinedText`. Where a
 * caller's text contains it, it is replaced, so that it marks nothing there.
 */
export const REPRESENTATION_MARK = '\uFDD0';
const marks = new RegExp(REPRESENTATION_MARK, 'g');
const MARKED = new RegExp(`${REPRESENTATION_MARK}(${representationKinds.join('|')})\\n`);

/** Content and representations in one text, as `separatedText` reads it. Without representations it is the content. */
export function joinedText({ content, representations }: SearchedText): string {
  return content.replace(marks, '\uFFFD') + joinedRepresentations(representations);
}

export function joinedRepresentations(representations: Representations): string {
  return representationsIn(representations, { withBlank: true })
    .map(([kind, text]) => `${REPRESENTATION_MARK}${kind}\n${text.replace(marks, '\uFFFD')}`)
    .join('');
}

/** Reads a text that `joinedText` wrote. */
export function separatedText(joined: string): SearchedText {
  const [content = '', ...parts] = joined.split(MARKED);
  const entries = parts.flatMap((kind, at) => (at % 2 === 0 ? [[kind, parts[at + 1]!] as const] : []));
  return { content, representations: Object.fromEntries(entries) };
}

/** Representations in the order of their kinds. Nothing can be found in a blank one. */
function representationsIn(
  representations: Representations,
  { withBlank = false }: { readonly withBlank?: boolean } = {},
): (readonly [kind: RepresentationKind, text: string])[] {
  return representationKinds.flatMap((kind) => {
    const text = representations[kind];
    return text === undefined || (!withBlank && text.trim() === '') ? [] : [[kind, text] as const];
  });
}

function wholeOf(text: string): Passage {
  return { start: 0, end: text.length };
}
