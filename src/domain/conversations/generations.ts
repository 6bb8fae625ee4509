import { z } from 'zod';
import { defineEvent, type EventOf } from '../events/define.ts';
import { Problem } from '../problems.ts';
import { firstGeneration, type Conversation } from './conversation.ts';

/** The facts of all conversations of the tenant are drawn again, beside those that are live. */
export const FactsRebuildRequested = defineEvent({
  type: 'FactsRebuildRequested',
  category: 'conversation',
  version: 1,
  routing: z.object({
    generation: z.int().positive(),
    /** Absent: the model of the space or the layer. */
    model: z.string().optional(),
  }),
  sealed: z.object({}),
});

/** Facts of another generation are live from now on: those of `from` alone are archived, those of `to` alone are found. */
export const FactsSwitched = defineEvent({
  type: 'FactsSwitched',
  category: 'conversation',
  version: 1,
  routing: z.object({ from: z.int().positive(), to: z.int().positive() }),
  sealed: z.object({}),
});

export type GenerationEvent = EventOf<typeof FactsRebuildRequested> | EventOf<typeof FactsSwitched>;

export interface FactGenerations {
  readonly live: number;
  /** The model of each generation that names one. */
  readonly models: ReadonlyMap<number, string | undefined>;
  readonly newest: number;
  /** Which generation a rollback leads to. */
  readonly before: number | undefined;
}

export function foldGenerations(events: readonly GenerationEvent[]): FactGenerations {
  const models = new Map<number, string | undefined>([[firstGeneration, undefined]]);
  let [live, before]: [number, number | undefined] = [firstGeneration, undefined];
  for (const { type, data } of events) {
    if (type === 'FactsRebuildRequested') models.set(data.generation, data.model);
    else [live, before] = [data.to, data.to > data.from ? data.from : undefined];
  }
  return { live, before, models, newest: Math.max(...models.keys()) };
}

export function decideRebuild({ newest }: FactGenerations, model: string | undefined): GenerationEvent[] {
  return [
    {
      type: 'FactsRebuildRequested',
      data: { generation: newest + 1, ...(model !== undefined && { model }) },
    },
  ];
}

/** `isDrawn`: whether all conversations have facts of the newest generation. */
export function decideSwitch({ live, newest }: FactGenerations, isDrawn: boolean): GenerationEvent[] {
  if (newest === live || !isDrawn)
    throw new Problem('rebuild-not-ready', 'there are no newer facts, or they are still being drawn');
  return [{ type: 'FactsSwitched', data: { from: live, to: newest } }];
}

export function decideRollback({ live, before }: FactGenerations): GenerationEvent[] {
  if (before === undefined)
    throw new Problem('rebuild-not-ready', 'the live facts are not those that were switched to last');
  return [{ type: 'FactsSwitched', data: { from: live, to: before } }];
}

export interface FactComparison {
  /** Ids of memories. */
  readonly same: ReadonlySet<string>;
  readonly onlyFrom: ReadonlySet<string>;
  readonly onlyTo: ReadonlySet<string>;
}

/**
 * The facts of two generations. A conversation without facts of `to` keeps those that it has, so they count as the same; one without
 * facts of `from`, such as one from before a model was configured, has new ones only.
 */
export function compareGenerations(
  conversations: readonly Conversation[],
  from: number,
  to: number,
): FactComparison {
  const idsOf = ({ drawn }: Conversation, generation: number) =>
    (drawn.get(generation)?.facts ?? []).map(({ memoryId }) => memoryId);
  const ofFrom = new Set(conversations.flatMap((each) => idsOf(each, from)));
  const ofTo = new Set(conversations.flatMap((each) => idsOf(each, each.drawn.has(to) ? to : from)));
  const without = (ids: ReadonlySet<string>, others: ReadonlySet<string>) =>
    new Set([...ids].filter((id) => !others.has(id)));
  return {
    same: new Set([...ofFrom].filter((id) => ofTo.has(id))),
    onlyFrom: without(ofFrom, ofTo),
    onlyTo: without(ofTo, ofFrom),
  };
}

/** Of these memories, those that were made of what was said: one that merely said the same is nobody's to archive. */
export function madeOf(
  conversations: readonly Conversation[],
  ids: ReadonlySet<string>,
): ReadonlySet<string> {
  const facts = conversations.flatMap(({ drawn }) => [...drawn.values()].flatMap((each) => each.facts));
  return new Set(
    facts.flatMap(({ memoryId, outcome }) => (outcome === 'stored' && ids.has(memoryId) ? [memoryId] : [])),
  );
}
