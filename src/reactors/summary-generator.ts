import type { CommandContext, CommandServices } from '../commands/context.ts';
import { readSummarySettings } from '../commands/summaries/configure-summaries.ts';
import { recordSummary, wasGenerated } from '../commands/summaries/record-summary.ts';
import { isOf, summaryStreamOf } from '../commands/summaries/summary-stream.ts';
import type { Depth } from '../domain/summaries/depths.ts';
import type { SummaryEvent, SummaryTrigger } from '../domain/summaries/events.ts';
import { extract, type Source } from '../domain/summaries/extract.ts';
import { extractive } from '../domain/summaries/settings.ts';
import type { SummaryScope } from '../domain/summaries/summary-scope.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import type { TokenCounter, Tokenizer } from '../ports/tokenizer.ts';
import type { SummaryWriter, Writing } from './summary-writer.ts';

/** What a scope holds, at `position` or later. */
export interface ScopeContent {
  readonly sources: readonly Source[];
  /** The memories among them that name a user. */
  readonly namingUsers: ReadonlySet<string>;
  readonly hash: string;
  readonly position: number;
  /** Of a variant: how many memories the user judged, and how many are the user's own. */
  readonly weighedBy?: { readonly judged: number; readonly own: number } | undefined;
}

export interface GeneratorParts {
  readonly services: CommandServices;
  readonly tokenizer: Tokenizer;
  readonly read: (tenant: string, scope: SummaryScope, minPosition: number) => Promise<ScopeContent>;
  /** Absent without a language model: all summaries are extractive. */
  readonly writer?: SummaryWriter | undefined;
  readonly onGenerated?: (
    layer: SummaryScope['layer'],
    depths: readonly Depth[],
    trigger: SummaryTrigger,
    ms: number,
  ) => void;
}

export interface Generation {
  /** Names the event that caused it; the tenant is that of the caller. */
  readonly context: CommandContext;
  readonly summarized: SummaryScope;
  readonly depths: readonly Depth[];
  readonly trigger: SummaryTrigger;
  /** Position that the summaries must include. */
  readonly position: number;
  /** Makes nothing if the scope holds what it held for the latest summaries. */
  readonly skipIfUnchanged?: boolean;
}

/** `generated`: there are new summaries, of this call or of an earlier one for the same event. */
export type GenerationOutcome = 'generated' | 'unchanged' | { readonly error: unknown };

interface Prepared extends Generation {
  readonly id: string;
  readonly content: ScopeContent;
  readonly started: number;
}

/**
 * Generates the summaries of scopes of one tenant, once for each causing event. What a language model writes is written in few calls,
 * so scopes that are due together should be passed together. Outcomes are in the order of the generations.
 */
export async function generateSummaries(
  parts: GeneratorParts,
  generations: readonly Generation[],
  signal: AbortSignal,
): Promise<GenerationOutcome[]> {
  const prepared = await eachOf(generations, (generation) => prepare(parts, generation));
  const due = prepared.filter((one): one is Prepared => typeof one === 'object' && 'content' in one);
  const counter = await parts.tokenizer.counter();
  const { written, settle } = await write(parts, due, counter, signal);
  try {
    return await eachOf(prepared, async (one) => {
      if (typeof one === 'string' || 'error' in one) return one;
      await record(parts, one, written.get(one), counter);
      return 'generated' as const;
    });
  } finally {
    await settle();
  }
}

async function prepare(
  { services, read }: GeneratorParts,
  generation: Generation,
): Promise<Prepared | 'generated' | 'unchanged'> {
  const { context, summarized, position, skipIfUnchanged = false } = generation;
  const started = performance.now();
  const { tenant } = context.caller;
  const stream = summaryStreamOf(services.vault, tenant, summarized);
  const loaded = await services.store.load<SummaryEvent>(stream);
  if (wasGenerated(loaded, context.causationId)) return 'generated';
  const content = await read(tenant, summarized, position);
  if (skipIfUnchanged && isUpToDate(loaded.filter(isOf(summarized)), content)) return 'unchanged';
  return { ...generation, id: `${context.causationId}/${stream}`, content, started };
}

/** What the language model writes, of the scopes whose settings ask for it. */
async function write(
  { services, writer }: GeneratorParts,
  due: readonly Prepared[],
  counter: TokenCounter,
  signal: AbortSignal,
): Promise<{ written: ReadonlyMap<Prepared, Writing>; settle: () => Promise<void> }> {
  const nothing = { written: new Map(), settle: () => Promise.resolve() };
  const [first] = due;
  if (!writer || !first) return nothing;
  const { tenant } = first.context.caller;
  const settings = await readSummarySettings(services.store, tenant);
  const chosen = due.filter(
    ({ summarized, content }) =>
      // Variants for single users would multiply the costs of a scope.
      !summarized.person && content.sources.length > 0 && settings[summarized.layer].model !== extractive,
  );
  if (chosen.length === 0) return nothing;
  const jobs = await Promise.all(
    chosen.map(async ({ context, id, summarized: { layer }, depths, content: { sources } }) => ({
      context,
      id,
      layer,
      depths,
      sources,
      model: await writer.modelOf(tenant, layer, sources, settings[layer].model),
    })),
  );
  const { writings, settle } = await writer.write(jobs, counter, signal);
  return { written: new Map(chosen.map((one, index) => [one, writings[index]!])), settle };
}

async function record(
  { services, tokenizer, onGenerated }: GeneratorParts,
  { context, summarized, depths, trigger, content, started }: Prepared,
  writing: Writing | undefined,
  counter: TokenCounter,
): Promise<void> {
  const isWritten = writing !== undefined && 'extracts' in writing;
  const extracts = isWritten
    ? writing.extracts
    : extract(content.sources, depths, counter, userOf(summarized));
  const known = isWritten ? writing.shown : extracts.flatMap(({ sources }) => sources.map(({ id }) => id));
  const durationMs = Math.round(performance.now() - started);
  await recordSummary(services, context, {
    layer: summarized.layer,
    scope: { ...summarized.scope },
    ...(summarized.person && { person: summarized.person }),
    ...(content.weighedBy && { weighedBy: content.weighedBy }),
    trigger,
    model: isWritten ? writing.model : extractive,
    ...(writing && !isWritten && { fallback: writing.fallback }),
    tokenizer: tokenizer.name,
    sourceHash: content.hash,
    memories: content.sources.length,
    readPosition: content.position,
    namesUsers: known.some((id) => content.namingUsers.has(id)),
    ...(isWritten && { shown: [...writing.shown] }),
    summaries: extracts.map(({ depth, tokenCount, sources }) => ({
      depth,
      tokenCount,
      sources: [...sources],
    })),
    durationMs,
    texts: extracts.map(({ content }) => content),
  });
  onGenerated?.(summarized.layer, depths, trigger, durationMs);
}

/** Whom a summary of the layer `user` is about. */
function userOf({ layer, scope }: SummaryScope): string | undefined {
  return layer === 'user' ? scope.user : undefined;
}

/** Whether the latest summaries are of this content and still there. */
function isUpToDate(loaded: readonly LoadedEvent<SummaryEvent>[], { sources, hash }: ScopeContent): boolean {
  const last = loaded.findLast(({ event }) => event.type === 'SummaryGenerated');
  if (last?.event.type !== 'SummaryGenerated') return sources.length === 0;
  return last.event.data.sourceHash === hash && !last.erased;
}

/** One scope that fails must not fail the others. */
async function eachOf<Item, Result>(
  items: readonly Item[],
  action: (item: Item) => Promise<Result>,
): Promise<(Result | { readonly error: unknown })[]> {
  const results: (Result | { readonly error: unknown })[] = [];
  for (const item of items) results.push(await action(item).catch((error: unknown) => ({ error })));
  return results;
}
