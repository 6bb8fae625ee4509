import { z } from 'zod';
import { knownPolicy } from '../../commands/policies/change-traffic.ts';
import { figuresOf } from '../../domain/learning/policy-decider.ts';
import { operation } from '../operation.ts';
import { evaluationExample } from './examples.ts';
import { policyEvaluation } from './policy-schema.ts';
import { policyReaders } from './roles.ts';

export const evaluatePolicy = operation({
  name: 'evaluatePolicy',
  summary:
    'Compare a version with the one in force, and that one with its predecessor, on decisions that it did not learn from: estimates, interval, effective sample size',
  area: 'Administration',
  input: z.strictObject({ version: z.string() }),
  output: policyEvaluation,
  examples: { input: { version: 'learned-12' }, output: evaluationExample },
  access: policyReaders,
  async handle({ caller, input, services }) {
    const { learning } = services;
    const [history, base] = await Promise.all([learning.historyOf(caller.tenant), learning.base()]);
    const policy = knownPolicy(history, input.version, base);
    const { comparedWith, evaluation, ...decided } = await learning.evaluate(
      caller.tenant,
      history,
      base,
      policy,
    );
    const output = {
      version: policy.version,
      incumbent: history.incumbent.version,
      comparedWith: comparedWith.version,
      looks: history.looks,
      ...decided,
      figures: figuresOf(evaluation),
    };
    return { output };
  },
});
