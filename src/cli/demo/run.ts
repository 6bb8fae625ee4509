import type { Stratalog } from '../../../packages/client/src/index.ts';
import { askQuestions } from './ask.ts';
import { change, remove } from './change.ts';
import { summarize, writeContext } from './context.ts';
import { showDocuments } from './documents.ts';
import { showLearning, type LearningFacts } from './learning.ts';
import { rebuildAll, showAudit } from './log.ts';
import type { Narrator } from './narrator.ts';
import { showProof } from './proof.ts';
import { showSpaces } from './spaces.ts';
import { storeCorpus } from './store-corpus.ts';
import { readStory } from './story.ts';

/** What the demo found, for programs and for its test. */
export interface DemoFacts {
  readonly stored: number;
  readonly refused: number;
  /** Questions, and how many had a right answer among the first three. */
  readonly asked: number;
  readonly answered: number;
  /** Results of a question that the corpus does not answer. */
  readonly unansweredResults: number;
  /** Tokens of the context, and the memories in it. */
  readonly contextTokens: number;
  readonly contextSources: number;
  /** Whether there is a summary of a team. */
  readonly hasSummary: boolean;
  readonly versions: number;
  readonly asOfShowsBefore: boolean;
  readonly deletedIsGone: boolean;
  /** Whether a poisoned memory was in an answer, and not in what would have been answered without its source. */
  readonly poisonWasAnswered: boolean;
  readonly poisonIsLeftOut: boolean;
  /** Events of the signed head that an event was proved to be in; 0 if it was not. */
  readonly provenEvents: number;
  /** Whether a space refused a type that it does not accept. */
  readonly refusedBySpace: boolean;
  readonly newestVersionIsFirst: boolean;
  /** Memories whose text cites a memory that was stored later. */
  readonly citations: number;
  /** Whether a memory that addresses the model waited for a review, was rejected, and never found. */
  readonly poisonWasHeld: boolean;
  /** Memories of a document, whether a context cited it, and how many changed with it. */
  readonly sections: number;
  readonly citesDocument: boolean;
  readonly changedSections: number;
  readonly learning: LearningFacts;
  readonly rebuilt: number;
  readonly equal: number;
}

/** The chapters of the demo, in order. */
export async function runDemo(client: Stratalog, narrator: Narrator): Promise<DemoFacts> {
  const { queries, unanswered, context, story } = await readStory();
  const stored = await storeCorpus(client, narrator);
  const answered = await askQuestions(client, narrator, { queries, unanswered });
  const written = await writeContext(client, narrator, context.query);
  const summarized = await summarize(client, narrator);
  const changed = await change(client, narrator, story);
  const { searchId, ...removed } = await remove(client, narrator, story);
  await showAudit(client, narrator, { externalId: story.change.externalId, lastSearch: searchId });
  const proof = await showProof(client, narrator);
  const spaces = await showSpaces(client, narrator);
  const documents = await showDocuments(client, narrator);
  const learning = await showLearning(client, narrator);
  const rebuilt = await rebuildAll(client, narrator);
  return {
    ...stored,
    ...answered,
    ...written,
    ...summarized,
    ...changed,
    ...removed,
    ...proof,
    ...spaces,
    ...documents,
    learning,
    ...rebuilt,
  };
}
