import type { Stratalog } from '../../../packages/client/src/index.ts';
import { pause } from '../../support/pause.ts';
import type { CorpusQuestion } from './corpus-questions.ts';

export const agents = 8;
/** An agent reads so many results. */
const readResults = 5;
/** At this threshold no question of the demo counts as complex. */
const alwaysStandard = 1;
export const pollMs = 250;
/**
 * Answers whose outcomes the server has not counted yet. More would be asked in vain on a busy machine, where counting takes longer
 * than answering.
 */
const maxUncounted = 24;

/** What the server has learned so far. */
export interface Progress {
  /** Outcomes that are counted. */
  readonly counted: number;
  /** Whether a better version has come into force. */
  readonly isDecided: boolean;
}

/** How many questions get a complete first answer by the policy in force. Nothing is learned from them. */
export async function askWithoutExploring(
  client: Stratalog,
  questions: readonly CorpusQuestion[],
): Promise<number> {
  await client.admin.routing.update({ threshold: alwaysStandard, exploration: false });
  let complete = 0;
  await eachOf(questions, async (question) => {
    const { results } = await client.search({ query: question.text, topK: readResults });
    if (usedOf(question, results).isComplete) complete++;
  });
  return complete;
}

/**
 * Asks the questions in turn and posts what was used of the answers, until a better version is in force or no question is left. How fast
 * the machine is makes no difference to what is asked. Resolves with when each question was answered, in milliseconds since 1970.
 */
export async function askUntilDecided(
  client: Stratalog,
  questions: readonly CorpusQuestion[],
  progress: () => Promise<Progress>,
  update: (asked: number) => void,
): Promise<readonly number[]> {
  const answeredAt: number[] = [];
  let state: Progress = { counted: 0, isDecided: false };
  const asking = new AbortController();
  const watch = async (): Promise<void> => {
    while (!asking.signal.aborted && !state.isDecided) {
      state = await progress();
      await pause(pollMs, asking.signal);
    }
  };
  const ask = eachOf(questions, async (question, index) => {
    while (!state.isDecided && answeredAt.length - state.counted >= maxUncounted) await pause(pollMs);
    if (state.isDecided) return;
    await askInSession(client, question, `demo-agent-${index}`);
    update(answeredAt.push(Date.now()));
  });
  await Promise.all([ask.finally(() => asking.abort()), watch()]);
  return answeredAt;
}

async function askInSession(client: Stratalog, question: CorpusQuestion, sessionId: string): Promise<void> {
  const { searchId, results } = await client.search({ query: question.text, topK: readResults, sessionId });
  const { used, isComplete } = usedOf(question, results);
  await client.outcome(searchId, isComplete ? { used } : { used: [], refined: true });
}

interface Result {
  readonly memory: { readonly id: string; readonly externalId?: string };
}

/** The results that are about what was asked, and whether they are enough. */
function usedOf(
  { subjects, least }: CorpusQuestion,
  results: readonly Result[],
): { used: string[]; isComplete: boolean } {
  const isAbout = ({ memory }: Result, subject: ReadonlySet<string>) => subject.has(memory.externalId ?? '');
  const right = results.filter((result) => subjects.some((subject) => isAbout(result, subject)));
  const found = subjects.filter((subject) => results.some((result) => isAbout(result, subject)));
  return { used: right.map(({ memory }) => memory.id), isComplete: found.length >= least };
}

async function eachOf<Item>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const agent = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      await work(items[index]!, index);
    }
  };
  await Promise.all(Array.from({ length: agents }, agent));
}
