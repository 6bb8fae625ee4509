import type { ReadyzAnswer, Stratalog } from '../../../packages/client/src/index.ts';
import { packageVersion } from '../../adapters/package-version.ts';
import { waitMs } from '../log-head.ts';
import { proofOf } from './collect-proof.ts';
import { isUnreadable, partOf, type Part } from './part.ts';
import { RangeCounter, type RangeFigures } from './range-counter.ts';
import type { Range } from './range.ts';
import type { ParkedStream, Receipt, ReportData, SpaceBudget } from './report-data.ts';

export interface Collecting {
  readonly client: Stratalog;
  readonly range: Range;
  readonly now: Date;
  /** Whether the server compares the whole log with its signed heads. */
  readonly verify: boolean;
  /** Called with what is being done, and how much of it. */
  readonly onProgress: (what: string) => void;
}

const progressEvery = 500;

/** Reads everything that a report says. Throws if the audit cannot be read; other parts are `Unreadable` then. */
export async function collectReport(collecting: Collecting): Promise<ReportData> {
  const { client, range, now, onProgress } = collecting;
  const { tenant, role, user, credential, version, environment } = await client.whoami();
  const readiness = await partOf(client.readiness());
  const figures = await countRange(collecting, positionIn(readiness));
  onProgress('the state of the server');
  const [stats, policies, experience, budget, providers, spaceBudgets, parked, receipts] = await Promise.all([
    partOf(client.stats()),
    partOf(client.admin.policies.list()),
    partOf(client.admin.experience.get()),
    partOf(client.admin.budgets.get()),
    partOf(providersOf(client)),
    partOf(spaceBudgetsOf(client)),
    partOf(parkedStreams(client, readiness)),
    receiptsOf(client, figures),
  ]);
  const evaluation = isUnreadable(policies)
    ? policies
    : await partOf(client.admin.policies.evaluation(policies.inForce));
  onProgress(collecting.verify ? 'the proof: the server verifies its log' : 'the proof');
  const proof = await proofOf(client, figures, collecting.verify);
  return {
    writtenAt: now.toISOString(),
    writtenWith: packageVersion(),
    server: { url: client.url, version, environment },
    tenant,
    caller: { role, credential, ...(user !== undefined && { user }) },
    from: range.from.toISOString(),
    to: range.to.toISOString(),
    range: figures,
    readiness,
    parked,
    stats,
    policies,
    evaluation,
    experience,
    providers,
    budget,
    spaceBudgets,
    receipts,
    proof,
  };
}

/** Reads the events of the range as a stream, and keeps only their counts. */
async function countRange(
  { client, range, onProgress }: Collecting,
  minPosition: string | undefined,
): Promise<RangeFigures> {
  const counter = new RangeCounter(range);
  const events = client.audit.stream({
    from: range.from.toISOString(),
    to: range.to.toISOString(),
    ...(minPosition !== undefined && { minPosition, waitMs }),
  });
  for await (const event of events) {
    counter.add(event);
    if (counter.events % progressEvery === 0)
      onProgress(`${counter.events.toLocaleString('en')} events of the range, until ${event.at}`);
  }
  return counter.figures();
}

function positionIn(readiness: Part<ReadyzAnswer>): string | undefined {
  return !isUnreadable(readiness) && 'position' in readiness.log ? readiness.log.position : undefined;
}

async function providersOf(client: Stratalog): Promise<{ items: Record<string, string> }> {
  const { items } = await client.models();
  return { items: Object.fromEntries(items.map(({ id, provider }) => [id, provider])) };
}

async function spaceBudgetsOf(client: Stratalog): Promise<{ items: SpaceBudget[] }> {
  const items: SpaceBudget[] = [];
  const spaces = await client.spaces.list();
  for (const { id, dailyBudgetUsd, monthlyBudgetUsd, usage } of spaces.items) {
    if (dailyBudgetUsd !== undefined)
      items.push({ space: id, period: 'day', usd: dailyBudgetUsd, spent: usage.spentTodayUsd ?? 0 });
    if (monthlyBudgetUsd !== undefined)
      items.push({ space: id, period: 'month', usd: monthlyBudgetUsd, spent: usage.spentThisMonthUsd ?? 0 });
  }
  return { items };
}

/** Asks for their names only if something is parked: that takes another role than the rest of the report. */
async function parkedStreams(
  client: Stratalog,
  readiness: Part<ReadyzAnswer>,
): Promise<{ items: ParkedStream[] }> {
  if (!isUnreadable(readiness)) {
    const all = [...readiness.projections, ...readiness.reactors];
    const isParked = all.some((one) => ('parked' in one ? one.parked > 0 : one.state === 'parked'));
    if (!isParked) return { items: [] };
  }
  const { items, reactors } = await client.admin.projections.list();
  return {
    items: [...items, ...reactors].flatMap(({ name, parked }) =>
      parked.map(({ stream, type }) => ({ by: name, stream, type })),
    ),
  };
}

async function receiptsOf(
  client: Stratalog,
  { lists }: RangeFigures,
): Promise<Record<string, Part<Receipt>>> {
  const receipts: Record<string, Part<Receipt>> = {};
  for (const { erasureId } of lists.erasures.items)
    if (erasureId !== undefined) receipts[erasureId] = await partOf(receiptOf(client, erasureId));
  return receipts;
}

async function receiptOf(client: Stratalog, id: string): Promise<Receipt> {
  const { state, completedAt, surfaces, signature } = await client.admin.erasures.get(id);
  return {
    state,
    completedAt,
    places: surfaces.length,
    pending: surfaces.filter((place) => place.state === 'pending').length,
    signed: signature !== undefined,
  };
}
