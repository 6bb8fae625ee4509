import type { MemoryView } from '../../src/domain/memory/view.ts';
import type { Plan } from '../../src/domain/routing/plan.ts';
import { rulePolicy } from '../../src/domain/routing/policy.ts';
import { type Budgets, defaultSettings } from '../../src/domain/routing/settings.ts';
import type { ReadView } from '../../src/queries/read-models.ts';
import type { ExecutorDependencies } from '../../src/queries/routing/executor-dependencies.ts';
import { Executor } from '../../src/queries/routing/executor.ts';
import type { SearchRequest } from '../../src/queries/search/query.ts';
import type { Finding } from '../../src/queries/search/finding.ts';
import { adminOf } from './admin.ts';

const caller = adminOf('acme');
/** The default request. */
export const request: SearchRequest = { query: 'compare a and b', topK: 4, threshold: 0 };
const view = { position: 7 } as ReadView;
/** The promise of a search that never finishes. */
export const never = new Promise<never>(() => undefined);

/** A plan that compares two sides. */
const plan: Plan = {
  aggregation: 'compare',
  operands: [
    { label: 'a', query: 'only a' },
    { label: 'b', query: 'only b' },
  ],
};

/** A memory, by default in the layer company. */
export function memory(id: string, more: Partial<MemoryView> = {}): MemoryView {
  return {
    id,
    content: `this is the memory ${id} and no other one at all`,
    layer: 'company',
    scope: { company: 'acme' },
    createdAt: '2026-01-01T00:00:00.000Z',
    ...more,
  } as MemoryView;
}

/** A finding with these ids and scores, best first. */
export function finding(...best: readonly (readonly [string, number])[]): Finding {
  return {
    best: best.map(([id, score]) => ({ memory: memory(id), score })),
    position: 7,
    warnings: [],
    embeddingModel: 'm',
    view,
  };
}

/** Runs a plan that compares two sides, or the one that `parts` make, with searches that find two memories each. */
export function run(
  parts: Partial<ExecutorDependencies>,
  budgets: Partial<Budgets> = {},
  asked: Partial<SearchRequest> = {},
  { threshold = defaultSettings.threshold }: { readonly threshold?: number } = {},
) {
  const executor = new Executor({
    plan: () => Promise.resolve(plan),
    policy: rulePolicy,
    clock: { now: () => new Date() },
    searchesAtOnce: 2,
    search: (_, { query }) => Promise.resolve(finding([`${query} 1`, 0.8], [`${query} 2`, 0.4])),
    places: () => Promise.resolve({ names: [], named: false }),
    mentions: () => Promise.resolve(undefined),
    ...parts,
  });
  const settings = { ...defaultSettings, threshold, budgets: { ...defaultSettings.budgets, ...budgets } };
  return executor.run(caller, { ...request, ...asked }, view, settings);
}

export const idsOf = (found: Finding | undefined) => found?.best.map((one) => one.memory.id);
