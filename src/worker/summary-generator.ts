import type { CommandContext, CommandServices } from '../commands/context.ts';
import { recordSummary, wasGenerated } from '../commands/summaries/record-summary.ts';
import { summaryStreamOf } from '../commands/summaries/summary-stream.ts';
import type { Depth } from '../domain/summaries/depths.ts';
import type { SummaryEvent, SummaryTrigger } from '../domain/summaries/events.ts';
import { extract, type Source } from '../domain/summaries/extract.ts';
import type { SummaryScope } from '../domain/summaries/summary-scope.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import type { Tokenizer } from '../ports/tokenizer.ts';

/** Name and version of the extractive summarizer. A version that writes other summaries of the same memories needs a new name. */
const extractive = 'extractive-1';

/** What a scope holds, at `position` or later. */
export interface ScopeContent {
  readonly sources: readonly Source[];
  /** The memories among them that name a user. */
  readonly namingUsers: ReadonlySet<string>;
  readonly hash: string;
  readonly position: number;
}

export interface GeneratorParts {
  readonly services: CommandServices;
  readonly tokenizer: Tokenizer;
  readonly read: (tenant: string, scope: SummaryScope, minPosition: number) => Promise<ScopeContent>;
  readonly onGenerated?: (
    layer: SummaryScope['layer'],
    depths: readonly Depth[],
    trigger: SummaryTrigger,
    ms: number,
  ) => void;
}

export interface Generation {
  readonly summarized: SummaryScope;
  readonly depths: readonly Depth[];
  readonly trigger: SummaryTrigger;
  /** Position that the summaries must include. */
  readonly position: number;
  /** Makes nothing if the scope holds what it held for the latest summaries. */
  readonly skipIfUnchanged?: boolean;
}

/**
 * Generates the summaries of a scope, once for each causing event, which `context` names. Resolves with whether there are new ones, of
 * this call or of an earlier one for the same event.
 */
export async function generateSummary(
  { services, tokenizer, read, onGenerated }: GeneratorParts,
  context: CommandContext,
  { summarized, depths, trigger, position, skipIfUnchanged = false }: Generation,
): Promise<'generated' | 'unchanged'> {
  const started = performance.now();
  const { tenant } = context.caller;
  const stream = summaryStreamOf(services.vault, tenant, summarized);
  const loaded = await services.store.load<SummaryEvent>(stream);
  if (wasGenerated(loaded, context.causationId)) return 'generated';
  const content = await read(tenant, summarized, position);
  if (skipIfUnchanged && isUpToDate(loaded, content)) return 'unchanged';
  const extracts = extract(content.sources, depths, await tokenizer.counter());
  const durationMs = Math.round(performance.now() - started);
  await recordSummary(services, context, {
    layer: summarized.layer,
    scope: { ...summarized.scope },
    trigger,
    model: extractive,
    tokenizer: tokenizer.name,
    sourceHash: content.hash,
    memories: content.sources.length,
    readPosition: content.position,
    namesUsers: extracts.some(({ sources }) => sources.some(({ id }) => content.namingUsers.has(id))),
    summaries: extracts.map(({ depth, tokenCount, sources }) => ({
      depth,
      tokenCount,
      sources: [...sources],
    })),
    durationMs,
    texts: extracts.map(({ content }) => content),
  });
  onGenerated?.(summarized.layer, depths, trigger, durationMs);
  return 'generated';
}

/** Whether the latest summaries are of this content and still there. */
function isUpToDate(loaded: readonly LoadedEvent<SummaryEvent>[], { sources, hash }: ScopeContent): boolean {
  const last = loaded.findLast(({ event }) => event.type === 'SummaryGenerated');
  if (last?.event.type !== 'SummaryGenerated') return sources.length === 0;
  return last.event.data.sourceHash === hash && !last.erased;
}
