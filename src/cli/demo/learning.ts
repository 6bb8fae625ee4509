import { pause } from '../../support/pause.ts';
import type { Route } from '../../domain/routing/settings.ts';
import type { Policies, PolicyFigures, Stratalog } from '../../../packages/client/src/index.ts';
import { gainOf } from '../policies.ts';
import { corpusQuestions } from './corpus-questions.ts';
import { recorded } from './log.ts';
import type { Narrator } from './narrator.ts';
import { agents, askUntilDecided, askWithoutExploring, pollMs, type Progress } from './simulated-agents.ts';
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

type Counts = Pick<LearningFacts, 'decisions' | 'decomposed' | 'used'>;

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
/** Only a server that has stopped learning takes this long. */
const patienceMs = 120_000;

/**
 * Lets a policy that starts from the wrong rule learn a better one from outcomes, until a version is in force or no question is left. The
 * settings of the tenant are restored. With its default threshold the learned base chooses as the rule does.
 */
export async function showLearning(client: Stratalog, narrator: Narrator): Promise<LearningFacts> {
  const questions = corpusQuestions(await readCorpusMemories());
  const [heldOut, forAgents] = [questions.slice(0, heldOutQuestions), questions.slice(heldOutQuestions)];
  narrator.chapter(
    'Let it learn from what was used',
    `Some questions need several searches, one for each thing that they compare or list. Which ones is a choice that the server can learn. Here it starts from a wrong rule: never split a question. ${agents} simulated agents ask; the corpus says which memories answer, so each agent reports which ones it used, or that it has to ask again. Now and then the server tries the other way, to learn from it.`,
  );
  narrator.note('One of their questions:');
  narrator.quote(heldOut[0]!.text);
  narrator.gap();
  const { settings } = await client.admin.routing.get();
  try {
    const completeBefore = await askWithoutExploring(client, heldOut);
    const all = `of ${heldOut.length} other questions, which it does not learn from, get a complete first answer`;
    narrator.say(`before: ${completeBefore} ${all}.`);
    await client.admin.routing.update({ exploration: true });
    const began = Date.now();
    const { inForce: first } = await client.admin.policies.list();
    const answeredAt = await narrator.progress('learning', forAgents.length, (update) =>
      askUntilDecided(client, forAgents, () => progress(client, first), update),
    );
    const policies = await countedPolicies(client, answeredAt.length);
    const counted = countRoutes(policies);
    const { canary, inForce } = await promotions(client, began, answeredAt);
    const seconds = ((answeredAt.at(-1) ?? began) - began) / 1_000;
    narrator.say(`learning: ${answeredAt.length} questions in ${seconds.toFixed(0)} s. ${shares(counted)}`);
    if (canary)
      narrator.say(
        `After ${canary.afterQuestions} of them, version ${canary.version}, which splits complex questions, was proven better: ${evidence(canary)}. From there on it chose for every second question.`,
      );
    if (inForce)
      narrator.say(
        `After ${inForce.afterQuestions}, nothing in 20 more reports spoke against it, and it chose for all.`,
      );
    const missing = inForce ? undefined : await missingFor(client);
    if (missing !== undefined) narrator.say(`Not in force yet: ${missing}.`);
    if (inForce) await untilChosenBy(client, inForce.version, heldOut[0]!.text);
    const completeNow = await askWithoutExploring(client, heldOut);
    narrator.say(`now: ${completeNow} ${all}.`);
    narrator.shows(
      inForce
        ? 'It learned to split questions from reports alone, and changed its behaviour only after a statistical proof. No code, setting or model was touched; an operator can read every step, and take it back.'
        : 'It changes its behaviour only after a statistical proof, and says what the proof still needs.',
    );
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

async function progress(client: Stratalog, first: string): Promise<Progress> {
  const policies = await client.admin.policies.list();
  return { counted: countRoutes(policies).decisions, isDecided: policies.inForce !== first };
}

/** The policies once all outcomes are counted and the canary is decided on. */
async function countedPolicies(client: Stratalog, answered: number): Promise<Policies> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const policies = await client.admin.policies.list();
    const isSettled = countRoutes(policies).decisions >= answered && policies.canary === undefined;
    if (isSettled || performance.now() > deadline) return policies;
    await pause(pollMs);
  }
}

/** Resolves when this version chooses the routes of searches. */
async function untilChosenBy(client: Stratalog, version: string, query: string): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const { searchId } = await client.search({ query, topK: 1 });
    const { policyVersion } = await recorded(client, searchId);
    if (policyVersion === version || performance.now() > deadline) return;
    await pause(pollMs);
  }
}

/** Decisions with a known outcome, those of them that were decomposed, and of either route how many answers were used. */
function countRoutes({ items }: Policies): Counts {
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

/** An estimated gain with its interval, in words. */
function evidence({ gain, interval, matched }: Promotion): string {
  return `its answers earn ${gainOf(gain, interval)} more (95 % interval) on a scale from −1 to 1, by ${Math.floor(matched)} questions that were answered its way`;
}

function shares({ decisions, decomposed, used }: Counts): string {
  return `${share(decomposed, decisions)} were split, and ${share(used.decomposition, decomposed)} of these answers were complete; of the others ${share(used.standard, decisions - decomposed)}.`;
}

function share(part: number, whole: number): string {
  return `${Math.round((100 * part) / Math.max(1, whole))} %`;
}
