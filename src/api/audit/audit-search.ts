import { z } from 'zod';
import { layerSchema, scopeSchema } from '../../domain/layers.ts';
import { OutcomeObserved } from '../../domain/learning/events.ts';
import { outcomeKinds } from '../../domain/learning/logged-decision.ts';
import {
  checkedSignals,
  decidingSignal,
  outcomeOf,
  type OutcomeSignal,
} from '../../domain/learning/outcome.ts';
import { answeredMemories } from '../../domain/retrieval/answered-memories.ts';
import { SearchPerformed } from '../../domain/retrieval/events.ts';
import { routeChoiceSchema } from '../../domain/retrieval/route-choice.ts';
import { routeReasons } from '../../domain/routing/settings.ts';
import { readAuditedSearch, type AuditedSearch } from '../../queries/audit-search.ts';
import { waitFields } from '../fields.ts';
import { operation } from '../operation.ts';
import { auditedSearchExample } from './examples.ts';
import { auditors } from './roles.ts';
import { shownTrajectory, trajectoryOf } from './shown-trajectory.ts';

const performed = SearchPerformed.routing.shape;
const seen = OutcomeObserved.routing.shape;

const outcomeEntry = z
  .object({
    at: z.iso.datetime(),
    source: seen.source.meta({ description: 'Who or what said so' }),
    kind: seen.kind,
    memoryIds: seen.memoryIds,
    quality: seen.quality,
    refined: seen.refined,
  })
  .meta({ id: 'ObservedOutcome', description: 'What became of the answer, as one source saw it' });

const auditedSearch = z
  .object({
    searchId: z.string(),
    at: z.iso.datetime(),
    actor: z.string(),
    onBehalfOf: z.string().optional(),
    erased: z.boolean().optional().meta({
      description: 'Present if the content of the search was erased; only the readable fields are left',
    }),
    request: z.object({
      query: z.string().optional(),
      layers: z.array(layerSchema).optional(),
      scope: scopeSchema.optional(),
      spaces: z.array(z.string()).optional(),
      spaceChoice: performed.spaceChoice.meta({
        description: 'How the spaces were chosen; absent if the caller named them or none',
      }),
      tags: z.array(z.string()).optional(),
      filter: z.record(z.string(), z.unknown()).optional(),
      topK: z.int(),
      threshold: performed.threshold.meta({
        description: 'Minimum score that was requested; absent if the caller requested none',
      }),
      relevanceThreshold: performed.relevanceThreshold.meta({
        description:
          'Minimum relevance that was requested; only in searches recorded by versions without scores',
      }),
      order: performed.order,
      now: performed.now.meta({ description: 'Time that words such as "last week" were relative to' }),
      sessionId: z.string().optional(),
    }),
    readPosition: z.string(),
    embeddingModel: z.string().optional(),
    warnings: z.array(z.string()),
    durationMs: z.number(),
    route: performed.route.meta({ description: 'Route whose results the caller received' }),
    reason: z.enum(routeReasons).optional(),
    score: z.number().optional().meta({ description: 'Complexity score of the question, 0 to 1' }),
    threshold: z
      .number()
      .optional()
      .meta({ description: 'Complexity score from which a question counted as complex' }),
    signals: z.array(z.object({ name: z.string(), value: z.number(), weight: z.number() })).optional(),
    policyVersion: z.string().optional(),
    ...routeChoiceSchema.omit({ policyVersion: true }).partial().shape,
    results: z.array(
      z.object({
        memoryId: z.string(),
        rank: z.int(),
        relevance: z.number(),
        score: z.number().optional(),
        feedback: z
          .number()
          .optional()
          .meta({ description: 'Contribution of feedback to the relevance, in log-odds' }),
        value: z.number().optional().meta({
          description: 'Contribution of the value of the memory to the relevance, in log-odds',
        }),
        steps: z
          .array(z.int())
          .optional()
          .meta({ description: 'Numbers of the trajectory steps that found the memory' }),
      }),
    ),
    trajectory: shownTrajectory.optional(),
    outcomes: z.array(outcomeEntry).meta({ description: 'In the order in which they were recorded' }),
    outcome: z
      .object({
        kind: z.enum(outcomeKinds),
        quality: z.number().optional(),
        explicit: z.boolean().meta({ description: 'Whether the caller said so, by an outcome or feedback' }),
        source: seen.source.optional().meta({ description: 'Who or what said so; missing if nothing did' }),
      })
      .meta({ description: 'The outcome that counts, as far as it is known' }),
  })
  .meta({ id: 'AuditedSearch' });

export const auditSearch = operation({
  name: 'auditSearch',
  summary:
    'Show one search: its route and why, its signals, all its steps, and which steps found each result',
  area: 'Audit',
  input: z.strictObject({
    searchId: z.string().max(200),
    ...waitFields,
    waitMs: waitFields.waitMs.meta({
      description:
        'Maximum time to wait for `minPosition`, or for a search that was made just now, in milliseconds. Default: 2,000',
    }),
  }),
  output: auditedSearch,
  examples: { input: { searchId: auditedSearchExample.searchId }, output: auditedSearchExample },
  access: auditors,
  reads: 'log',
  audit: { what: 'audit search', when: 'always' },
  async handle({ caller, input: { searchId }, services: { commands }, wait, token }) {
    const { store, clock } = commands;
    const search = await readAuditedSearch(store, caller, searchId, clock.now(), wait.waitMs);
    const readPosition = token(search.performed.event.data.readPosition);
    return { output: shown(search, readPosition), read: { items: 1, parameters: { searchId } } };
  },
});

function shown(
  { performed, trajectory, context, outcomes }: AuditedSearch,
  readPosition: string,
): z.infer<typeof auditedSearch> {
  const { data } = performed.event;
  const { searchId, query, layers, scope, spaces, tags, filter, topK, order, now } = data;
  const { threshold, relevanceThreshold, sessionId } = data;
  const { embeddingModel, warnings, durationMs, route, results } = data;
  const { choice, ...asked } = data.decision ?? {};
  const taken = trajectory?.event.data;
  const observed = outcomes.map(({ event }) => event.data);
  const answered = answeredMemories([performed, ...(context ? [context] : [])]);
  const signals = [...checkedSignals(observed, answered), ...inContext(context)];
  const stepsOf = new Map(
    taken?.shown ? taken.citations.map(({ memoryId, steps }) => [memoryId, steps]) : [],
  );
  return {
    searchId,
    at: performed.time.toISOString(),
    actor: performed.metadata.actor,
    onBehalfOf: performed.metadata.onBehalfOf,
    ...(performed.erased && { erased: true }),
    request: {
      query,
      layers,
      scope,
      spaces,
      spaceChoice: data.spaceChoice,
      tags,
      filter,
      topK,
      threshold,
      relevanceThreshold,
      order,
      now,
      sessionId,
    },
    readPosition,
    embeddingModel,
    warnings,
    durationMs,
    route,
    ...asked,
    ...choice,
    policyVersion: choice?.policyVersion ?? taken?.policyVersion,
    results: results.map((result) => ({ ...result, steps: stepsOf.get(result.memoryId) })),
    ...(taken && { trajectory: trajectoryOf(taken) }),
    outcomes: outcomes.map(({ event, time }) => {
      const { source, kind, memoryIds, quality, refined } = event.data;
      return { at: time.toISOString(), source, kind, memoryIds, quality, refined };
    }),
    outcome: { ...outcomeOf(signals), source: decidingSignal(signals)?.source },
  };
}

/** A context counts from the start; its outcome is recorded only when the session or window ends. */
function inContext(context: AuditedSearch['context']): OutcomeSignal[] {
  const items = context?.event.data.items ?? [];
  if (items.length === 0) return [];
  return [{ kind: 'used', source: 'context', memoryIds: items.map(({ memoryId }) => memoryId) }];
}
