import type { SummaryEvent } from '../../domain/summaries/events.ts';
import { freshnessOf } from '../../domain/summaries/freshness.ts';
import type { SummarySettings } from '../../domain/summaries/settings.ts';
import type { SummaryScope } from '../../domain/summaries/summary-scope.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import { changeStream } from '../change-stream.ts';
import type { CommandContext, CommandServices } from '../context.ts';
import { readSummarySettings } from './configure-summaries.ts';
import { isOf, summaryStreamOf } from './summary-stream.ts';

export interface Demand {
  readonly summarized: SummaryScope;
  /** What the scope holds now. */
  readonly hash: string;
  /** However often a scope changes, its summaries are made once in this time. */
  readonly windowMs: number;
}

/** Has the summaries of a scope made if they are missing or stale, once: not while an earlier request is unanswered. */
export async function demandSummary(
  services: CommandServices,
  context: CommandContext,
  { summarized, hash, windowMs }: Demand,
): Promise<void> {
  const { tenant } = context.caller;
  const settings = (await readSummarySettings(services.store, tenant))[summarized.layer];
  if (summarized.person && !settings.personalized) return;
  const now = services.clock.now();
  await changeStream<SummaryEvent>(services, context, {
    stream: summaryStreamOf(services.vault, tenant, summarized),
    memoryId: '',
    decide: (loaded) =>
      isDue(loaded.filter(isOf(summarized)), { hash, windowMs, settings, now })
        ? [{ type: 'SummaryRequested', data: { ...summarized, depths: settings.depths } }]
        : [],
  });
}

interface Now extends Omit<Demand, 'summarized'> {
  readonly settings: SummarySettings;
  readonly now: Date;
}

function isDue(
  loaded: readonly LoadedEvent<SummaryEvent>[],
  { hash, windowMs, settings, now }: Now,
): boolean {
  const last = loaded.findLast(({ event }) => event.type !== 'SummaryInvalidated');
  if (last?.event.type === 'SummaryRequested') return false;
  if (last?.event.type !== 'SummaryGenerated') return !hash.startsWith('0:');
  if (last.erased) return true;
  const made = { sourceHash: last.event.data.sourceHash, generatedAt: last.time };
  return freshnessOf(made, hash, settings, now).stale && now.getTime() - last.time.getTime() >= windowMs;
}
