import { at, position } from '../example-values.ts';

export const trainExample = { bootstrap: true };

export const trainedExample = { version: 'learned-1', learnedFrom: 24, position };

const figures = {
  decisions: 310,
  deviating: 0.42,
  matched: 58,
  opposed: 72,
  effectiveSize: 171.4,
  ips: { value: 0.081, error: 0.034 },
  snips: { value: 0.094, error: 0.028 },
  doublyRobust: { value: 0.091, error: 0.027 },
  interval: [0.037, 0.145] as [number, number],
};

export const policyListExample = {
  inForce: 'learned-12',
  candidate: 'learned-14',
  decisions: 280,
  exploration: 0.151,
  looks: 0,
  needed: 50,
  items: [
    { version: 'rules-1', state: 'earlier' as const, bootstrap: false },
    {
      version: 'learned-12',
      state: 'in-force' as const,
      learnedAt: at,
      learnedFrom: 20,
      meanReward: 0.62,
      bootstrap: false,
      figures,
      comparedWith: 'rules-1',
      observed: {
        decisions: 96,
        days: [{ day: '2026-11-27', decisions: 96, reward: 0.66 }],
        arms: [
          { arm: 'standard' as const, decisions: 60, propensity: 0.61, reward: 0.64, success: 0.7 },
          { arm: 'decomposition' as const, decisions: 36, propensity: 0.39, reward: 0.69, success: 0.75 },
        ],
      },
    },
    {
      version: 'learned-14',
      state: 'candidate' as const,
      learnedAt: at,
      learnedFrom: 20,
      meanReward: 0.65,
      bootstrap: false,
    },
  ],
};

export const evaluationExample = {
  version: 'learned-12',
  incumbent: 'rules-1',
  comparedWith: 'rules-1',
  looks: 0,
  needed: 50,
  verdict: 'promote' as const,
  reason: 'better than the incumbent',
  figures,
};

export const changedTrafficExample = { inForce: 'learned-12', position };
export const rolledBackExample = { inForce: 'rules-1', position };
