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
 * Who said a turn of a conversation: whom its metadata name, else the label of its text. For memories of a session
 * only: a document may begin with any label.
 */
export function speakerOf(content: string, metadata: JsonObject): string | undefined {
  return attributedSpeaker(metadata) ?? labelledSpeaker(content);
}

/** `metadata.speaker`, else `metadata.role`, folded as words are; undefined where neither says it. */
export function attributedSpeaker({ speaker, role }: JsonObject): string | undefined {
  return folded(speaker) ?? folded(role);
}

/** The label that a text begins with ("Caroline: …"), folded as words are. */
export function labelledSpeaker(content: string): string | undefined {
  return folded(LABEL.exec(content.slice(0, 64))?.[1]);
}

function folded(name: unknown): string | undefined {
  return typeof name === 'string' ? words(name).join(' ') || undefined : undefined;
}

/** Tells of each speaker (`speakerOf`) whether the question is about what this one said. */
export function speakerMatcher(question: string): (speaker: string) => SpeakerMatch | undefined {
  const asked = words(question);
  const inOrder = ` ${asked.join(' ')} `;
  const isFirstPerson = asked.some((word) => FIRST_PERSON.has(word));
  return (speaker) => {
    if (isFirstPerson && ASKER.has(speaker)) return 'asker';
    return inOrder.includes(` ${speaker} `) ? 'named' : undefined;
  };
}
