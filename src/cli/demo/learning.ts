import { setTimeout as sleep } from 'node:timers/promises';
import type { Route } from '../../domain/routing/settings.ts';
import type { Policies, PolicyFigures, Stratalog } from '../../../packages/client/src/index.ts';
import { gainOf } from '../policies.ts';
import { corpusQuestions } from './corpus-questions.ts';
import type { Narrator } from './narrator.ts';
import { askUntilPromoted, askWithoutExploring, pollMs } from './simulated-agents.ts';
import { readCorpusMemories } from './story.ts';

/** What the demo learned, by what the API says. */
export interface LearningFacts {
  /** Questions asked in sessions, those of them with a known outcome, and how many of these were decomposed. */
  readonly asked: number;
  readonly decisions: number;
  readonly decomposed: number;
  /** How many first answers of each route were used. */
  readonly used: Readonly<Record<Route, number>>;
  /** Questions that were asked before and after learning only, and how many first answers were complete. */
  readonly heldOut: number;
  readonly completeBefore: number;
  readonly completeNow: number;
  /** Missing if no version was proven. */
  readonly canary?: Promotion | undefined;
  /** Missing if no version came into force. */
  readonly inForce?: Promotion | undefined;
  /** What a version needs that has not come into force. */
  readonly missing?: string | undefined;
}

export interface Promotion {
  readonly version: string;
  /** Questions that were answered by then, and seconds since the first. */
  readonly afterQuestions: number;
  readonly afterSeconds: number;
  /** Gain in reward over the version before, by the doubly robust estimate, with its 95 % interval. */
  readonly gain: number;
  readonly interval?: readonly number[] | undefined;
  readonly matched: number;
}

const heldOutQuestions = 24;
/** A promotion takes effect within this time. */
const spreadMs = 1_000;
/** The last outcomes are counted, and decided on, within this time, unless the machine is busy. */
const countingMs = 5_000;

/**
 * Lets a policy that starts from the wrong rule learn a better one from outcomes, until a version is in force or the time is over. The
 * settings of the tenant are restored. With its default threshold the learned base chooses as the rule does.
 */
export async function showLearning(client: Stratalog, narrator: Narrator): Promise<LearningFacts> {
  narrator.chapter('Let it learn from what was used');
  narrator.note(
    'Decomposition is switched to “never” (threshold 1). Eight agents ask complex questions, each in a',
  );
  narrator.note(
    'session; the corpus says which memories answer them. Each posts what it used, or that it must ask again.',
  );
  const questions = corpusQuestions(await readCorpusMemories());
  const [heldOut, forAgents] = [questions.slice(0, heldOutQuestions), questions.slice(heldOutQuestions)];
  const { settings } = await client.admin.routing.get();
  try {
    const completeBefore = await askWithoutExploring(client, heldOut);
    narrator.note(`Such as: ${heldOut[0]!.text}`);
    narrator.say(`   before: ${completeBefore} of ${heldOut.length} first answers are complete`);
    await client.admin.routing.update({ exploration: true });
    const began = Date.now();
    const answeredAt = await askUntilPromoted(client, narrator, forAgents);
    const policies = await countedPolicies(client, answeredAt.length);
    const counted = countRoutes(policies);
    const { decisions, decomposed, used } = counted;
    const seconds = ((answeredAt.at(-1) ?? began) - began) / 1_000;
    narrator.say(
      `   ${answeredAt.length} questions in ${seconds.toFixed(1)} s, ${share(decomposed, decisions)} of them decomposed; complete: ${share(used.decomposition, decomposed)} of these, ${share(used.standard, decisions - decomposed)} of the others`,
    );
    const { canary, inForce } = await promotions(client, began, answeredAt);
    if (canary) narrator.say(`   canary:   ${promoted(canary)}`);
    if (inForce) narrator.say(`   in force: ${promoted(inForce)}`);
    const missing = inForce ? undefined : await missingFor(client);
    if (missing !== undefined) narrator.say(`   not in force yet: ${missing}`);
    await sleep(spreadMs);
    const completeNow = await askWithoutExploring(client, heldOut);
    narrator.say(`   now:    ${completeNow} of ${heldOut.length} first answers are complete`);
    return {
      asked: answeredAt.length,
      ...counted,
      heldOut: heldOut.length,
      completeBefore,
      completeNow,
      canary,
      inForce,
      missing,
    };
  } finally {
    const { threshold, exploration } = settings;
    await client.admin.routing.update({ threshold, exploration });
  }
}

/** The policies once all outcomes are counted and the canary is decided on, or what is known when the time is over. */
async function countedPolicies(client: Stratalog, answered: number): Promise<Policies> {
  const deadline = performance.now() + countingMs;
  for (;;) {
    const policies = await client.admin.policies.list();
    const isSettled = countRoutes(policies).decisions >= answered && policies.canary === undefined;
    if (isSettled || performance.now() > deadline) return policies;
    await sleep(pollMs);
  }
}

/** Decisions with a known outcome, those of them that were decomposed, and of either route how many answers were used. */
function countRoutes({ items }: Policies): Pick<LearningFacts, 'decisions' | 'decomposed' | 'used'> {
  const count = (route: Route) => {
    const arms = items.flatMap(({ observed }) => observed?.arms.filter(({ arm }) => arm === route) ?? []);
    return {
      decisions: arms.reduce((sum, { decisions }) => sum + decisions, 0),
      used: Math.round(arms.reduce((sum, { decisions, success = 0 }) => sum + decisions * success, 0)),
    };
  };
  const [standard, decomposition] = [count('standard'), count('decomposition')];
  return {
    decisions: standard.decisions + decomposition.decisions,
    decomposed: decomposition.decisions,
    used: { standard: standard.used, decomposition: decomposition.used },
  };
}

async function promotions(
  client: Stratalog,
  began: number,
  answeredAt: readonly number[],
): Promise<{ canary?: Promotion | undefined; inForce?: Promotion | undefined }> {
  const { items } = await client.audit.events({ type: ['PolicyPromoted'] });
  const all = items.map(({ at, data }) => {
    const { share, policy, figures } = data as {
      share: 'canary' | 'all';
      policy: { version: string };
      figures: PolicyFigures;
    };
    const time = Date.parse(at);
    const promotion: Promotion = {
      version: policy.version,
      afterQuestions: answeredAt.filter((answered) => answered <= time).length,
      afterSeconds: (time - began) / 1_000,
      gain: figures.doublyRobust.value,
      interval: figures.interval,
      matched: figures.matched,
    };
    return { share, promotion };
  });
  // A data folder may have promotions from before the demo.
  const own = all.filter(({ promotion }) => promotion.afterSeconds >= 0);
  const last = (of: 'canary' | 'all') => own.findLast(({ share }) => share === of)?.promotion;
  return { canary: last('canary'), inForce: last('all') };
}

/** What the version that is compared with the one in force needs. */
async function missingFor(client: Stratalog): Promise<string> {
  const { canary, candidate } = await client.admin.policies.list();
  const { figures, reason, verdict } = await client.admin.policies.evaluation(canary ?? candidate);
  if (canary !== undefined)
    return `${canary} chooses for a share of the questions, with ${figures.decisions} outcomes so far`;
  return verdict === 'promote'
    ? `${candidate} is proven, and does not choose for a share of the questions yet`
    : `${candidate}: ${reason}`;
}

function promoted({ version, afterQuestions, afterSeconds, gain, interval, matched }: Promotion): string {
  return `${version} after ${afterQuestions} questions, ${afterSeconds.toFixed(1)} s; gain ${gainOf(gain, interval)} in reward, from ${Math.floor(matched)} matched deviations`;
}

function share(part: number, whole: number): string {
  return `${Math.round((100 * part) / Math.max(1, whole))} %`;
}
