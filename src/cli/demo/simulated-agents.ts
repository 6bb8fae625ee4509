import { setTimeout as sleep } from 'node:timers/promises';
import type { Stratalog } from '../../../packages/client/src/index.ts';
import type { CorpusQuestion } from './corpus-questions.ts';
import type { Narrator } from './narrator.ts';

const agents = 8;
/** An agent reads so many results. */
const readResults = 5;
/** At this threshold no question of the demo counts as complex. */
const alwaysStandard = 1;
const askingMs = 12_000;
export const pollMs = 500;

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

/** Resolves with when each question was answered, in milliseconds since 1970. */
export async function askUntilPromoted(
  client: Stratalog,
  narrator: Narrator,
  questions: readonly CorpusQuestion[],
): Promise<readonly number[]> {
  const answeredAt: number[] = [];
  const { inForce: first } = await client.admin.policies.list();
  const deadline = performance.now() + askingMs;
  let isOver = false;
  const seconds = askingMs / 1_000;
  await narrator.progress(`asking for at most ${seconds} s`, seconds, async (update) => {
    const asking = eachOf(questions, async (question, index) => {
      if (isOver) return;
      await askInSession(client, question, `demo-agent-${index}`);
      answeredAt.push(Date.now());
    });
    const watch = async (): Promise<void> => {
      while (performance.now() < deadline) {
        const { inForce } = await client.admin.policies.list();
        if (inForce !== first) break;
        update(Math.floor(seconds - (deadline - performance.now()) / 1_000));
        await sleep(pollMs);
      }
    };
    await Promise.all([asking, watch().finally(() => (isOver = true))]);
  });
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
