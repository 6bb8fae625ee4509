import type { JsonObject } from '../json.ts';
import { words } from '../text/tokens.ts';

/**
 * Why a speaker fits a question: the question is in the first person and its asker said it ("Have I used Flask?"), or the
 * question names the speaker ("When did Caroline paint?").
 */
export type SpeakerMatch = 'asker' | 'named';

const ASKER = new Set(['user', 'human']);
const FIRST_PERSON = new Set(['i', 'me', 'my', 'mine', 'myself', 'we', 'our', 'ours']);
/** One to three words before a colon: "Caroline:", "Dr. Mary Ann:". */
const LABEL = /^\s*(\p{L}[\p{L}\p{M}\p{N}_-]*\.?(?: \p{L}[\p{L}\p{M}\p{N}_-]*){0,2}):\s/u;

/**
 * The speaker of a turn of a conversation: the one in its metadata, else the label at the start of its text. Only for memories
 * of a session: a document may start with any label.
 */
export function speakerOf(content: string, metadata: JsonObject): string | undefined {
  return attributedSpeaker(metadata) ?? labelledSpeaker(content);
}

/** `metadata.speaker`, else `metadata.role`, folded like words; undefined if neither is a name. */
export function attributedSpeaker({ speaker, role }: JsonObject): string | undefined {
  return folded(speaker) ?? folded(role);
}

/** The label at the start of a text ("Caroline: …"), folded like words. */
export function labelledSpeaker(content: string): string | undefined {
  return folded(LABEL.exec(content.slice(0, 64))?.[1]);
}

function folded(name: unknown): string | undefined {
  return typeof name === 'string' ? words(name).join(' ') || undefined : undefined;
}

/** Returns a function that says whether a question is about what a speaker (`speakerOf`) said. */
export function speakerMatcher(question: string): (speaker: string) => SpeakerMatch | undefined {
  const asked = words(question);
  const inOrder = ` ${asked.join(' ')} `;
  const isFirstPerson = asked.some((word) => FIRST_PERSON.has(word));
  return (speaker) => {
    if (isFirstPerson && ASKER.has(speaker)) return 'asker';
    return inOrder.includes(` ${speaker} `) ? 'named' : undefined;
  };
}
