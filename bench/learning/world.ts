import type { Arm } from '../../src/domain/learning/logged-decision.ts';
import { greedyArm, type Features, type RoutePolicy } from '../../src/domain/learning/route-policy.ts';
import { typicalMean, typicalQuestions } from '../../src/domain/learning/typical-questions.ts';
import { defaultSettings, routes } from '../../src/domain/routing/settings.ts';
import { pick } from '../support/random.ts';

/** A question, and whether the results of each route would serve its user. */
export interface Question {
  readonly features: Features;
  readonly serves: Readonly<Record<Arm, boolean>>;
}

/** Probability that the first results of a route are of use, for simple and for complex questions. */
export interface World {
  readonly simple: Readonly<Record<Arm, number>>;
  readonly complex: Readonly<Record<Arm, number>>;
}

/** Complex questions gain .2 by decomposition, as measured on questions of organisations; the others lose a little. */
export const measuredWorld: World = {
  simple: { standard: 0.75, decomposition: 0.74 },
  complex: { standard: 0.5, decomposition: 0.7 },
};

/** Both routes are equally good. */
export const equalWorld: World = {
  simple: { standard: 0.75, decomposition: 0.75 },
  complex: { standard: 0.6, decomposition: 0.6 },
};

/** Decomposition is worse for every question. */
export const worseWorld: World = {
  simple: { standard: 0.75, decomposition: 0.7 },
  complex: { standard: 0.6, decomposition: 0.5 },
};

function successOf(world: World, features: Features, arm: Arm): number {
  return (features['score']! >= defaultSettings.threshold ? world.complex : world.simple)[arm];
}

/** Probability of success with the arms that a policy takes without exploration. */
export function valueOf(world: World, policy: RoutePolicy, threshold: number): number {
  return typicalMean((features) =>
    successOf(world, features, greedyArm(policy, { ...features, threshold }, routes)),
  );
}

const drawn = typicalQuestions.flatMap(({ count, features }) =>
  Array.from({ length: count }, () => features),
);

/** Draws a question like the typical ones. */
export function drawQuestion(world: World, random: () => number): Question {
  const features = pick(drawn, random);
  // One number for both routes: whoever is served by the worse route is served by the better one too.
  const luck = random();
  const serves = (arm: Arm) => luck < successOf(world, features, arm);
  return { features, serves: { standard: serves('standard'), decomposition: serves('decomposition') } };
}
