import { z } from 'zod';
import { defineEvent, type EventOf } from '../events/define.ts';
import { jsonObject } from '../json.ts';
import { reasoningTraceSchema, reasoningWordsSchema } from '../reasoning/trace.ts';
import { actionNames, hopNames } from '../routing/actions.ts';

/** What a language model failed to do for a run that nevertheless finished. */
const lacks = ['planning-timed-out', 'planning-failed', 'reasoning-timed-out', 'reasoning-failed'] as const;
export type Lack = (typeof lacks)[number];

/**
 * Why an answer is not complete: a budget was used up, a step failed, or a language model did not plan the question or refine the
 * search texts.
 */
const interruptions = ['wall-time', 'queries', 'steps', 'tokens', 'error', 'breaker-open', ...lacks] as const;
export type Interruption = (typeof interruptions)[number];

export function isLack(interruption: Interruption | undefined): boolean {
  return lacks.some((lack) => lack === interruption);
}

/**
 * `complete`: everything ran. `partial`: not everything ran, and the answer is what was found. `failed`: the standard search
 * answered instead. `refused`: no run was started because too many had failed.
 */
const trajectoryOutcomes = ['complete', 'partial', 'failed', 'refused'] as const;
export type TrajectoryOutcome = (typeof trajectoryOutcomes)[number];

const count = z.int().nonnegative();
const stepName = z.enum([...actionNames, ...hopNames]);

const stepSchema = z.object({
  step: z.int().positive(),
  /** The step that started this one. */
  parent: z.int().positive().optional(),
  depth: count,
  action: stepName,
  /** `rejected`: not run, for example at the maximum depth; the run continues. `unfinished`: time ran out during it. */
  status: z.enum(['done', 'rejected', 'failed', 'unfinished']),
  reason: z.string().optional(),
  at: z.iso.datetime(),
  durationMs: z.number(),
  tokens: count,
  /** Searches of the read models. */
  queries: count,
  /** The decision: possible actions, the features it was based on, and the probability of the choice. */
  choices: z.array(stepName),
  features: z.record(z.string(), z.number()),
  propensity: z.number().min(0).max(1),
  /** Number of memories it resulted in, and the first of them. */
  found: count,
  results: z.array(z.object({ memoryId: z.string(), score: z.number() })),
});

const planningSchema = z.object({
  /** The step that decomposed the subquery; none for the whole question. */
  parent: z.int().positive().optional(),
  depth: count,
  /** `rules`, or the name of the language model that proposed it. */
  by: z.string(),
  /** Why the configured model did not propose it. */
  reason: z.string().optional(),
  durationMs: z.number(),
  /** Spent by the model, even if the proposal was not used. */
  tokens: count,
});

/**
 * How a complex or multi-hop question was answered: every decision, with what learning needs to know about it. Recorded beside the
 * search; callers receive none of it.
 */
export const TrajectoryRecorded = defineEvent({
  type: 'TrajectoryRecorded',
  category: 'retrieval',
  version: 5,
  routing: z.object({
    searchId: z.string(),
    outcome: z.enum(trajectoryOutcomes),
    /** What ended it early, or what it lacks. */
    interruption: z.enum(interruptions).optional(),
    /** Whether the caller received its results: not in shadow mode, and not if it failed. */
    shown: z.boolean(),
    policyVersion: z.string(),
    strategy: z.enum(['combine', 'compare', 'summarize']),
    /** What decomposed the question and its subqueries. Before version 2 it was always the rules, and not recorded. */
    planning: z.array(planningSchema),
    startedAt: z.iso.datetime(),
    endedAt: z.iso.datetime(),
    durationMs: z.number(),
    tokens: count,
    queries: count,
    maxDepth: count,
    resultCount: count,
    /** Codes for auditors, such as `condition-unmet`. */
    warnings: z.array(z.string()),
    /** How search texts were chosen, for the whole question first; empty if reasoning is switched off. */
    reasoning: z.array(reasoningTraceSchema),
    steps: z.array(stepSchema),
    /** Its results, each with the steps that found it. */
    citations: z.array(z.object({ memoryId: z.string(), score: z.number(), steps: z.array(z.int()) })),
    /** In shadow mode: compared with the standard search that the caller received. */
    difference: z.object({ shared: count, added: count, missing: count }).optional(),
  }),
  sealed: z.object({
    query: z.string(),
    plan: jsonObject,
    /** Arguments of each step, in order: what was searched for, and where. */
    arguments: z.array(jsonObject),
    /** Results of each reasoning, in order. Missing before version 2. */
    expansions: z.array(reasoningWordsSchema).optional(),
  }),
  // Version 3 added hops from memory to memory, version 4 the reason why a plan is not the model's, version 5 strategies from
  // experience.
  upcasters: {
    1: (data) => ({ ...data, planning: [], reasoning: [] }),
    2: (data) => data,
    3: (data) => data,
    4: (data) => data,
  },
});

export type Trajectory = EventOf<typeof TrajectoryRecorded>['data'];
export type TrajectoryStep = Trajectory['steps'][number];
export type Planning = Trajectory['planning'][number];
