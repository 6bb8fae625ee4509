import type { Feedback } from '@stratalog/client';

type Kind = Feedback['kind'];

/** What each kind of feedback says. */
const meanings: Readonly<Record<Kind, string>> = {
  helpful: 'it helped with the question',
  irrelevant: 'it has nothing to do with the question',
  outdated: 'it was right once',
  inaccurate: 'it is wrong',
  duplicate: 'another memory says the same',
};

export const feedbackKinds = Object.entries(meanings) as readonly (readonly [Kind, string])[];

/** Whether a kind is about the answer to a question, and not about the memory itself. */
export const needsSearch = (kind: Kind): boolean => kind === 'helpful' || kind === 'irrelevant';
