import { z } from 'zod';
import { defineEvent, type EventOf } from '../events/define.ts';
import { jsonObject } from '../json.ts';
import { reasoningTraceSchema, reasoningWordsSchema } from '../reasoning/trace.ts';
import { actionNames, hopNames } from '../routing/actions.ts';

/** What a language model did not do for a run that came to its end. */
const lacks = ['planning-timed-out', 'planning-failed', 'reasoning-timed-out', 'reasoning-failed'] as const;
export type Lack = (typeof lacks)[number];

/**
 * Why an answer is not all that was meant: a budget is used up, a step failed, or a language model did not plan it or refine
 * what was looked for.
 */
export const interruptions = [
  'wall-time',
  'queries',
  'steps',
  'tokens',
  'error',
  'breaker-open',
  ...lacks,
] as const;
export type Interruption = (typeof interruptions)[number];

export function isLack(interruption: Interruption | undefined): boolean {
  return lacks.some((lack) => lack === interruption);
}

/**
 * `complete`: all of it ran; `partial`: not all did, and what it had found is the answer; `failed`: the standard
 * search answered instead; `refused`: so many runs had failed that none was begun.
 */
export const trajectoryOutcomes = ['complete', 'partial', 'failed', 'refused'] as const;
export type TrajectoryOutcome = (typeof trajectoryOutcomes)[number];

const count = z.int().nonnegative();
const stepName = z.enum([...actionNames, ...hopNames]);

const stepSchema = z.object({
  step: z.int().positive(),
  /** The step that this one is a part of. */
  parent: z.int().positive().optional(),
  depth: count,
  action: stepName,
  /** `rejected`: it was not done, as at the greatest depth; the run goes on. `unfinished`: time ran out in it. */
  status: z.enum(['done', 'rejected', 'failed', 'unfinished']),
  reason: z.string().optional(),
  at: z.iso.datetime(),
  durationMs: z.number(),
  tokens: count,
  /** Searches of the read models. */
  queries: count,
  /** The decision: what could have been done, on what it was decided, and how probable the choice was. */
  choices: z.array(stepName),
  features: z.record(z.string(), z.number()),
  propensity: z.number().min(0).max(1),
  /** How many memories it left, and the first of them. */
  found: count,
  results: z.array(z.object({ memoryId: z.string(), score: z.number() })),
});

const planningSchema = z.object({
  /** The step that took the part apart; none for the whole question. */
  parent: z.int().positive().optional(),
  depth: count,
  /** `rules`, or the name of the language model whose proposal it is. */
  by: z.string(),
  /** Why it is not of the model that is configured. */
  reason: z.string().optional(),
  durationMs: z.number(),
  /** That the model took for it, also where nothing came of it. */
  tokens: count,
});

/**
 * How a complex question was answered, or one by several hops: every decision with what learning needs of it. Written
 * beside the search; no user's answer to a search holds any of it.
 */
export const TrajectoryRecorded = defineEvent({
  type: 'TrajectoryRecorded',
  category: 'retrieval',
  version: 4,
  routing: z.object({
    searchId: z.string(),
    outcome: z.enum(trajectoryOutcomes),
    /** What ended it early, or is missing in it. */
    interruption: z.enum(interruptions).optional(),
    /** Whether its results are the answer that the caller saw: not in shadow, not where it failed. */
    shown: z.boolean(),
    policyVersion: z.string(),
    strategy: z.enum(['combine', 'compare', 'summarize']),
    /** Who took the question apart, and its parts. Before version 2 it was always the rules, and not on record. */
    planning: z.array(planningSchema),
    startedAt: z.iso.datetime(),
    endedAt: z.iso.datetime(),
    durationMs: z.number(),
    tokens: count,
    queries: count,
    maxDepth: count,
    resultCount: count,
    /** Codes of what an auditor should know of it, such as `condition-unmet`. */
    warnings: z.array(z.string()),
    /** How it was decided what to look for: of the whole question first; empty where that is switched off. */
    reasoning: z.array(reasoningTraceSchema),
    steps: z.array(stepSchema),
    /** Its results, each with the steps that found it. */
    citations: z.array(z.object({ memoryId: z.string(), score: z.number(), steps: z.array(z.int()) })),
    /** Against the standard search that was shown beside it, in shadow. */
    difference: z.object({ shared: count, added: count, missing: count }).optional(),
  }),
  sealed: z.object({
    query: z.string(),
    plan: jsonObject,
    /** The arguments of each step, in their order: what was searched for, and where. */
    arguments: z.array(jsonObject),
    /** What each reasoning came to, in their order; before version 2 there was none. */
    expansions: z.array(reasoningWordsSchema).optional(),
  }),
  // Version 3 knows the steps from memory to memory, version 4 that a plan is not the model's.
  upcasters: {
    1: (data) => ({ ...data, planning: [], reasoning: [] }),
    2: (data) => data,
    3: (data) => data,
  },
});

export type Trajectory = EventOf<typeof TrajectoryRecorded>['data'];
export type TrajectoryStep = Trajectory['steps'][number];
export type Planning = Trajectory['planning'][number];
