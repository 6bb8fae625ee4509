import type { TenantContext } from '../../domain/access/context.ts';
import { assemblySteps, type AssembledContext } from '../../domain/context/assemble.ts';
import { nameOf, type ProfileCandidate } from '../../domain/context/block.ts';
import type { ContextCandidate } from '../../domain/context/candidate.ts';
import type { BlockEntry } from '../../domain/context/entries.ts';
import { evidenceIn } from '../../domain/context/evidence.ts';
import { replacementSteps } from '../../domain/context/replacements.ts';
import { asksPast } from '../../domain/ranking/asks-past.ts';
import { citationOf } from '../../domain/documents/source.ts';
import { askedTimes, asksTime } from '../../domain/ranking/dates.ts';
import { refutationOf } from '../../domain/ranking/feedback.ts';
import { textAround } from '../../domain/memory/searched-text.ts';
import type { SummaryScope } from '../../domain/summaries/summary-scope.ts';
import { zoned } from '../../domain/wall-clock.ts';
import { runInSlices } from '../../support/time-slice.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Tokenizer } from '../../ports/tokenizer.ts';
import { readSources } from '../documents/section-sources.ts';
import { listMemories } from '../list-memories.ts';
import type { ReadModels } from '../read-models.ts';
import type { RoutedSearch } from '../routing/routed-search.ts';
import type { Asked, SearchAnswer, SearchFact, SearchResult } from '../search/answer.ts';
import { timeOfAsking } from '../search/query.ts';
import type { ContextBlocks } from './context-blocks.ts';
import { factOf, type UsedBlock } from './context-fact.ts';
import type { RelevantSummary } from './relevant-summaries.ts';

export interface ContextBuilderDependencies {
  readonly search: Pick<RoutedSearch, 'search'>;
  readonly models: ReadModels;
  readonly tokenizer: Tokenizer;
  readonly clock: Clock;
  readonly blocks: ContextBlocks;
  /** Whether the read models stand at the position that requests name as `asOf`, so that summaries are of then too. */
  readonly standStill?: boolean;
}

export interface AskedContext extends Omit<Asked, 'topK' | 'order' | 'includeSuperseded'> {
  readonly tokenBudget: number;
  /** Whether to begin with a block about the user. */
  readonly profile?: boolean | undefined;
}

export interface ContextAnswer
  extends Omit<AssembledContext, 'blocks'>, Pick<SearchAnswer, 'searchId' | 'position' | 'fact'> {
  readonly warnings: readonly { readonly code: string; readonly detail: string }[];
  readonly tokenizer: string;
  /** The scopes whose summaries matter for the question. */
  readonly matters: readonly SummaryScope[];
  /** In shadow mode, resolves with further events of the search. */
  readonly later?: Promise<SearchFact>;
}

/** Determines how many memories are searched for: more than fit, so that the best can be chosen among them. */
const tokensOfShortMemory = 10;
const candidateCount = { least: 50, most: 1_000 };
const maxTurns = 20;
/** More tokens than the candidates may have, so that assembling takes a bounded time. */
const maxBudget = 200_000;

/** Builds the context for a question: one search by its own route, then the best filling of the budget. */
export class ContextBuilder {
  readonly #dependencies: ContextBuilderDependencies;

  constructor(dependencies: ContextBuilderDependencies) {
    this.#dependencies = dependencies;
  }

  /** Rejects as a search does. */
  async build(
    caller: TenantContext,
    { tokenBudget, profile: withProfile, ...asked }: AskedContext,
  ): Promise<ContextAnswer> {
    const { search, models, tokenizer, clock, blocks, standStill } = this.#dependencies;
    const started = performance.now();
    const now = timeOfAsking(asked, clock);
    const topK = Math.min(
      candidateCount.most,
      Math.max(candidateCount.least, Math.ceil(tokenBudget / tokensOfShortMemory)),
    );
    const [{ results, parts, changed, ...found }, turns, summaries, profile, count] = await Promise.all([
      search.search(caller, { ...asked, now, topK, order: 'precedence' }, { keepsDistant: true }),
      recentTurns(models, caller, asked),
      // A summary is of now, and of all spaces.
      (asked.asOf === undefined || standStill) && !asked.spaces ? blocks.summaries(caller, asked) : [],
      withProfile ? profileOf(blocks, caller, asked) : undefined,
      tokenizer.counter(),
    ]);
    const times = askedTimes(asked.query, now, asked.utcOffset);
    const isPast = asksPast(asked.query, times, now ?? clock.now());
    const replaced = isPast
      ? undefined
      : await runInSlices(replacementSteps(results.map(({ memory }) => memory)));
    const sections = results.flatMap(({ memory: { id, source } }) => (source ? [id] : []));
    const sources = await readSources(models, caller, sections);
    const cited = (id: string) => (sources.has(id) ? citationOf(sources.get(id)!) : undefined);
    const candidates = results.map((result): ContextCandidate => ({
      ...candidateOf(result, asked.utcOffset),
      cited: cited(result.memory.id),
      part: parts.get(result.memory.id),
      isDated: changed.has(result.memory.id),
      supersededBy: result.supersededBy ?? replaced?.get(result.memory.id),
    }));
    const steps = assemblySteps({
      query: asked.query,
      budget: Math.min(tokenBudget, maxBudget),
      candidates: asked.threshold === undefined ? evidenceIn(candidates) : candidates,
      turns,
      summaries,
      profile,
      count,
      asksPast: isPast,
      asksTime: asksTime(times),
    });
    const { blocks: shown, ...context } = await runInSlices(steps);
    const stale = await this.#stale(caller, summaries, shown);
    const used = shown.map((entry): UsedBlock => ({ ...entry, isStale: stale.includes(entry) }));
    const durationMs = Math.round(performance.now() - started);
    const measured = { tokenBudget, tokenizer: tokenizer.name, durationMs };
    return {
      ...found,
      ...context,
      warnings: [...found.warnings, ...(stale.length > 0 ? [staleWarning(stale)] : [])],
      tokenizer: tokenizer.name,
      matters: summaries.map(({ layer, scope }) => ({ layer, scope })),
      fact: factOf(found, { ...context, blocks: used }, measured),
    };
  }

  /** The summaries in the context that no longer say what their scopes hold. */
  async #stale(
    { tenant }: TenantContext,
    summaries: readonly RelevantSummary[],
    shown: readonly BlockEntry[],
  ): Promise<readonly BlockEntry[]> {
    const used = shown.filter(({ kind }) => kind === 'summary');
    const all = summaries.flatMap(({ rows }) => rows);
    const read = await this.#dependencies.blocks.withFreshness(
      tenant,
      used.map(({ block }) => all.find((row) => row.summary === block.id && row.depth === block.depth)!),
    );
    return used.filter((_, index) => read[index]!.freshness.stale);
  }
}

function staleWarning(stale: readonly BlockEntry[]): ContextAnswer['warnings'][number] {
  const names = stale.map(({ block }) => nameOf(block)).join(', ');
  return {
    code: 'stale-summary',
    detail: `summaries that are older than the memories they sum up: ${names}`,
  };
}

/** The profile of the user whom the request names, or else of the caller. */
async function profileOf(
  blocks: ContextBlocks,
  caller: TenantContext,
  { scope, layers, minPosition, waitMs }: Omit<AskedContext, 'tokenBudget'>,
): Promise<ProfileCandidate | undefined> {
  const { user = caller.user } = scope ?? {};
  if (user === undefined || (layers && !layers.includes('user'))) return undefined;
  return blocks.profile(caller, user, { minPosition, waitMs });
}

/** The newest memories of the session layer in the session, within the layers, spaces and scope that are asked for. */
async function recentTurns(
  models: ReadModels,
  caller: TenantContext,
  {
    sessionId,
    layers,
    scope,
    spaces,
    asOf,
    utcOffset,
    minPosition,
    waitMs,
  }: Omit<AskedContext, 'tokenBudget'>,
): Promise<readonly ContextCandidate[]> {
  const isElsewhere = scope?.session !== undefined && scope.session !== sessionId;
  if (sessionId === undefined || isElsewhere || (layers && !layers.includes('session'))) return [];
  const { items } = await listMemories(models, caller, {
    layers: ['session'],
    scope: { ...scope, session: sessionId },
    spaces,
    asOf,
    limit: maxTurns,
    minPosition,
    waitMs,
  });
  return items.map((memory) => candidateOf({ memory, relevance: 1 }, utcOffset));
}

function candidateOf(
  { memory, relevance, passage, supersededBy }: Omit<SearchResult, 'rank' | 'score'>,
  utcOffset = 0,
): ContextCandidate {
  const { id, externalId, layer, occurredAt, createdAt, feedback, trust } = memory;
  const time = zoned(occurredAt ?? createdAt, utcOffset);
  const refuted = refutationOf(feedback);
  const { representation } = passage ?? {};
  const content = textAround(memory, { representation });
  const isDivided = passage && passage.end - passage.start < content.length;
  return {
    id,
    externalId,
    layer,
    content,
    representation,
    time,
    relevance,
    passage: isDivided ? passage : undefined,
    supersededBy,
    refuted,
    trust,
  };
}
