import type { AuditHeadsAnswer, Budget, Readiness, ReadyzAnswer, Stats } from '@stratalog/client';

/** Something that a person should look at. */
export interface Need {
  readonly id: string;
  readonly tone: 'warn' | 'danger';
  readonly figure: string;
  readonly what: string;
  /** Where it is handled: path and values of a view. */
  readonly to: string;
  readonly values?: Readonly<Record<string, string>>;
}

/** The server's answers so far; undefined if the role may not ask or no answer has come yet. */
export interface Answers {
  readonly readiness: ReadyzAnswer | undefined;
  readonly reviews: { readonly count: number; readonly hasMore: boolean } | undefined;
  readonly failedDocuments: number | undefined;
  readonly budget: Budget | undefined;
  readonly stats: Stats | undefined;
  readonly heads: AuditHeadsAnswer | undefined;
}

/** Lag of a read model, in positions, that is worth a warning. */
const muchLag = 1_000;
/** Share of a budget that is worth a warning. */
const nearlySpent = 0.8;
/** The server signs a head at least once an hour if there are new events. */
const oldHeadMs = 2 * 3_600_000;

/** What needs attention, most urgent first. Empty if all is well. */
export function needsOf(answers: Answers, now: number): Need[] {
  const needs = [
    ...needsOfServer(answers.readiness),
    ...needsOfBudget(answers.budget),
    ...needsOfWork(answers),
    ...needsOfLog(answers, now),
  ];
  return needs.sort((a, b) => Number(b.tone === 'danger') - Number(a.tone === 'danger'));
}

function needsOfServer(readiness: ReadyzAnswer | undefined): Need[] {
  if (!readiness) return [];
  const needs: Need[] = [];
  const add = (id: string, tone: Need['tone'], figure: string, what: string, tab: string) =>
    needs.push({ id, tone, figure, what, to: '/operations', values: { tab } });
  if (readiness.status !== 'ready')
    add('status', 'danger', readiness.status, 'state of the server', 'readiness');
  for (const [name, { state }] of Object.entries(readiness.backEnds))
    if (state === 'down') add(`back-end-${name}`, 'danger', 'down', `back end ${name}`, 'readiness');
  if (readiness.embedder?.state === 'down')
    add(
      'embedder',
      'danger',
      'down',
      `embedding model ${readiness.embedder.model}: searches use words only`,
      'models',
    );
  if (readiness.relay?.state === 'failing') add('relay', 'danger', 'failing', 'relay to Kafka', 'relay');
  if (!hasFigures(readiness)) {
    const parked = [...readiness.projections, ...readiness.reactors].filter(
      ({ state }) => state === 'parked',
    );
    if (parked.length > 0)
      add(
        'parked',
        'danger',
        `${parked.length}`,
        `with parked streams: ${parked.map(({ name }) => name).join(', ')}`,
        'projections',
      );
    return needs;
  }
  const followers = [...readiness.projections, ...readiness.reactors];
  const parked = followers.reduce((sum, { parked: count }) => sum + count, 0);
  if (parked > 0) add('parked', 'danger', parked.toLocaleString(), 'parked streams', 'projections');
  const [slowest] = followers.toSorted((a, b) => b.lag - a.lag);
  if (slowest && slowest.lag > muchLag)
    add('lag', 'warn', slowest.lag.toLocaleString(), `positions behind: ${slowest.name}`, 'projections');
  return needs;
}

/** Roles that operate or audit see figures, others states. */
const hasFigures = (readiness: ReadyzAnswer): readiness is Readiness =>
  readiness.projections.every((one) => 'lag' in one);

function needsOfBudget(budget: Budget | undefined): Need[] {
  if (!budget) return [];
  const share = Math.max(shareOf(budget.spent.tokens, budget.tokens), shareOf(budget.spent.usd, budget.usd));
  if (!budget.exhausted && share < nearlySpent) return [];
  return [
    {
      id: 'budget',
      tone: budget.exhausted ? 'danger' : 'warn',
      figure: budget.exhausted ? 'used up' : `${Math.round(share * 100)} %`,
      what: `of the budget of this ${budget.period}`,
      to: '/operations',
      values: { tab: 'budgets' },
    },
  ];
}

const shareOf = (spent: number, limit: number | undefined): number =>
  limit === undefined ? 0 : limit === 0 ? 1 : spent / limit;

function needsOfWork({ reviews, failedDocuments, stats }: Answers): Need[] {
  const needs: Need[] = [];
  if (reviews && reviews.count > 0)
    needs.push({
      id: 'reviews',
      tone: 'warn',
      figure: `${reviews.count}${reviews.hasMore ? '+' : ''}`,
      what: 'conflicts, duplicates and suspicious texts to review',
      to: '/review',
    });
  if (failedDocuments !== undefined && failedDocuments > 0)
    needs.push({
      id: 'documents',
      tone: 'warn',
      figure: failedDocuments.toLocaleString(),
      what: 'documents that could not be read',
      to: '/documents',
      values: { state: 'failed' },
    });
  if (stats?.bulkStores === 'held-back')
    needs.push({
      id: 'bulk',
      tone: 'warn',
      figure: 'held back',
      what: 'bulk stores, because vectors lag',
      to: '/operations',
      values: { tab: 'projections' },
    });
  return needs;
}

function needsOfLog({ heads, readiness }: Answers, now: number): Need[] {
  const newest = heads?.items[0];
  if (!newest || !readiness || !('head' in readiness.log)) return [];
  const isOld = now - Date.parse(newest.at) > oldHeadMs && readiness.log.head > newest.size;
  if (!isOld) return [];
  return [
    {
      id: 'head',
      tone: 'warn',
      figure: (readiness.log.head - newest.size).toLocaleString(),
      what: 'events since the last signed head of the log',
      to: '/proof',
    },
  ];
}
