import type { Review, ReviewDecision, StoredMemory } from '@stratalog/client';

export type Kind = Review['kind'];
export type Decision = ReviewDecision['decision'];

/** The kinds of reviews with their names and what they are. */
export const kinds: readonly (readonly [kind: Kind, name: string, what: string])[] = [
  ['quarantine', 'Quarantine', 'waits for a review, and nobody finds it until then'],
  ['conflict', 'Conflicts', 'contradicts another memory'],
  ['duplicate', 'Duplicates', 'says the same as others of its space'],
  ['stale', 'Stale', 'was judged outdated by callers'],
];

export const kindName = (kind: Kind): string => kinds.find(([one]) => one === kind)![1];
export const kindMeaning = (kind: Kind): string => kinds.find(([one]) => one === kind)![2];

/** A decision that a review offers. */
export interface Choice {
  readonly decision: Decision;
  readonly name: string;
  /** The key that takes it. */
  readonly letter: string;
  /** What follows from it. */
  readonly consequence: string;
  /** It is about another memory, which the reviewer chooses; without any it is not offered. */
  readonly needsOther: boolean;
}

const choice = (
  decision: Decision,
  letter: string,
  name: string,
  consequence: string,
  needsOther = false,
): Choice => ({ decision, letter, name, consequence, needsOther });

const choices: Readonly<Record<Kind, readonly Choice[]>> = {
  quarantine: [
    choice('approve', 'a', 'Approve', 'everybody who may see its layer finds it'),
    choice('reject', 'r', 'Reject', 'nobody finds it'),
    choice('supersede', 's', 'Supersede', 'it is approved and replaces the chosen memory', true),
    choice('merge', 'm', 'Merge', 'it is deleted, because the chosen memory says it', true),
  ],
  conflict: [
    choice('keep', 'e', 'Keep both', 'both stay as they are, and the question is closed'),
    choice('supersede', 's', 'Supersede', 'it replaces the memory that it contradicts'),
    choice('merge', 'm', 'Keep the other', 'it is deleted, and the memory that it contradicts stays'),
    choice('reject', 'r', 'Reject', 'nobody finds it any more'),
  ],
  duplicate: [
    choice('merge', 'm', 'Merge', 'the chosen memory stays, and the others are deleted'),
    choice('keep', 'e', 'Keep all', 'they are no duplicates, and do not come back here'),
  ],
  stale: [
    choice('keep', 'e', 'Keep', 'it is still right, and the question is closed'),
    choice('merge', 'm', 'Merge', 'it is deleted, because the chosen memory says it', true),
    choice('reject', 'r', 'Reject', 'nobody finds it any more'),
  ],
};

/** What can be decided about a review. */
export function choicesOf(review: Review): readonly Choice[] {
  const hasOther = candidatesOf(review).length > 0;
  return choices[review.kind].filter(({ needsOther }) => !needsOther || hasOther);
}

/** What can be decided about all of these at once: nothing for which each of them needs its own other memory. */
export function commonChoices(reviews: readonly Pick<Review, 'kind'>[]): readonly Choice[] {
  const [first, ...rest] = [...new Set(reviews.map(({ kind }) => kind))].map((kind) => choices[kind]);
  return (first ?? []).filter(
    ({ decision, needsOther }) =>
      !needsOther &&
      rest.every((offered) => offered.some((one) => one.decision === decision && !one.needsOther)),
  );
}

/** A memory beside the one that is reviewed. */
export interface Candidate {
  readonly memory: StoredMemory;
  readonly relation: string;
}

const relations: Readonly<Record<Kind, string>> = {
  quarantine: 'alike',
  conflict: 'is contradicted by it',
  duplicate: 'says the same',
  stale: 'alike',
};

/** The memories that a decision can be about, the most telling first. */
export function candidatesOf({ kind, others, alike }: Review): readonly Candidate[] {
  return [
    ...others.map((memory) => ({ memory, relation: relations[kind] })),
    // Only members of the cluster can stay in place of duplicates.
    ...(kind === 'duplicate' ? [] : alike.map((memory) => ({ memory, relation: 'alike' }))),
  ];
}

/** The other memory of a decision as the API takes it; undefined leaves the choice to the server. */
export function otherOf(review: Review, decision: Decision, chosen: string | undefined): string | undefined {
  if (decision !== 'merge' && decision !== 'supersede') return undefined;
  return chosen ?? (review.kind === 'duplicate' ? review.memory.id : candidatesOf(review)[0]?.memory.id);
}

const pastWords: Readonly<Record<Decision, string>> = {
  approve: 'Approved',
  reject: 'Rejected',
  keep: 'Kept',
  merge: 'Merged',
  supersede: 'Superseded',
  undo: 'Taken back:',
};

/** A decision that was taken, such as "Approved 3 memories". */
export function pastOf(decision: Decision, count: number): string {
  return `${pastWords[decision]} ${count === 1 ? 'one review' : `${count.toLocaleString()} reviews`}`;
}
