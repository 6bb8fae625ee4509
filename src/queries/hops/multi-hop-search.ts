import { v7 as uuid } from 'uuid';
import type { TenantContext } from '../../domain/access/context.ts';
import type { Path } from '../../domain/hops/path.ts';
import { endOf } from '../../domain/hops/path.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { LinkType } from '../../domain/links/links.ts';
import { scoreOf } from '../../domain/ranking/score-scale.ts';
import { signSearchId } from '../../domain/retrieval/search-id.ts';
import type { SpaceChoice } from '../../domain/retrieval/space-choice.ts';
import type { Interruption, Trajectory } from '../../domain/retrieval/trajectory.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import { isOutdated, withCurrentView } from '../current-view.ts';
import type { ReadModels, ReadView } from '../read-models.ts';
import { Budget, BudgetExhausted } from '../routing/budget.ts';
import { warningOf } from '../routing/executor.ts';
import { TrajectoryRecorder } from '../routing/trajectory-recorder.ts';
import { sessionOf } from '../../domain/learning/session-key.ts';
import { answerOf, withEvents, type SearchAnswer } from '../search/answer.ts';
import { readSuperseding } from '../supersessions.ts';
import { timeOfAsking, type SearchRequest } from '../search/query.ts';
import type { Finding } from '../search/finding.ts';
import type { SearchService } from '../search/search.ts';
import { HopRun, type HopDependencies, type HopResult } from './hop-run.ts';

export interface MultiHopDependencies {
  readonly models: ReadModels;
  readonly search: Pick<SearchService, 'view' | 'find'>;
  readonly mentions: HopDependencies['mentions'];
  readonly vault: KeyVault;
  readonly clock: Clock;
  readonly onFailure: (error: unknown, searchId: string) => void;
}

export interface MultiHopRequest extends Omit<SearchRequest, 'threshold' | 'asOf'> {
  readonly sessionId?: string | undefined;
  /** Maximum hops from the results of the first search. */
  readonly depth: number;
  /** A path ends if its relevance falls below this. */
  readonly pathThreshold: number;
  readonly linkTypes?: readonly LinkType[] | undefined;
  readonly budget: { readonly queries: number; readonly wallMs: number };
  readonly filterAsSent?: JsonObject | undefined;
  /** How `spaces` were chosen, if the caller left that open. */
  readonly spaceChoice?: SpaceChoice | undefined;
}

export interface MultiHopAnswer extends SearchAnswer {
  /** The path to each result, in the order of the results. */
  readonly paths: readonly Path[];
}

/** A finished run with the view that it used. */
interface Ran {
  readonly result: HopResult;
  readonly view: ReadView;
  readonly recorder: TrajectoryRecorder;
  /** Why it ended early; undefined if it did not. */
  readonly interruption: Interruption | undefined;
}

/** Version of the rules that choose the hops. Recorded with each run. */
const policyVersion = 'hops-1';

/**
 * Searches, then follows links and mentions from memory to memory, within what the caller requested and may see. If the budget is
 * used up, or a later search fails, it returns the best results so far with a warning.
 */
export class MultiHopSearch {
  readonly #dependencies: MultiHopDependencies;

  constructor(dependencies: MultiHopDependencies) {
    this.#dependencies = dependencies;
  }

  /** Rejects like `SearchService.find` if the first search fails. */
  async search(caller: TenantContext, asked: MultiHopRequest): Promise<MultiHopAnswer> {
    const { models, vault } = this.#dependencies;
    const started = performance.now();
    const { depth, pathThreshold, linkTypes, budget: limits, sessionId, filterAsSent, ...rest } = asked;
    const now = timeOfAsking(asked, this.#dependencies.clock);
    const request: SearchRequest = { ...rest, now, threshold: pathThreshold };
    const id = uuid();
    const searchId = signSearchId(vault, caller, id);
    const { result, view, recorder, interruption } = await withCurrentView(() =>
      this.#run(caller, request, asked, searchId),
    );
    const finding = findingOf(result, view, interruption);
    const answered = {
      ...request,
      threshold: scoreOf(pathThreshold),
      order: 'relevance' as const,
      sessionId,
    };
    const answer = await answerOf(answered, finding, {
      id,
      searchId,
      route: 'multi-hop',
      durationMs: performance.now() - started,
      session: sessionOf(vault, caller, sessionId),
      tokens: recorder.taken.tokens,
      filterAsSent,
      superseding: await readSuperseding(models, caller, finding),
    });
    // The results are in another order than `result.paths` if one supersedes another.
    const pathTo = new Map(result.paths.map((path) => [endOf(path), path]));
    const paths = answer.results.map(({ memory }) => pathTo.get(memory.id)!);
    const trajectory: Trajectory = {
      searchId,
      outcome: interruption ? 'partial' : 'complete',
      ...(interruption && { interruption }),
      shown: true,
      policyVersion,
      strategy: 'combine',
      planning: [],
      reasoning: [],
      ...recorder.taken,
      maxDepth: result.maxDepth,
      resultCount: finding.best.length,
      warnings: [],
      citations: finding.best.map(({ memory, score }) => ({
        memoryId: memory.id,
        score,
        steps: [...(result.steps.get(memory.id) ?? [])],
      })),
      query: request.query,
      plan: { depth, pathThreshold, ...(linkTypes && { linkTypes }), budget: { ...limits } },
    };
    return { ...withEvents(answer, [{ type: 'TrajectoryRecorded', data: trajectory }]), paths };
  }

  async #run(
    caller: TenantContext,
    request: SearchRequest,
    { depth, linkTypes, budget: limits }: MultiHopRequest,
    searchId: string,
  ): Promise<Ran> {
    const { models, search, mentions, clock } = this.#dependencies;
    // Taken before the budget's time starts, because a caller may wait long for a position.
    const view = await search.view(request, { withFields: true });
    const budget = new Budget({ ...limits, steps: Infinity, tokens: Infinity, depth });
    const recorder = new TrajectoryRecorder(clock, budget);
    const run = new HopRun({
      sql: models.sql,
      search: (...asked) => search.find(...asked),
      mentions,
      caller,
      request,
      linkTypes,
      depth,
      view,
      budget,
      recorder,
    });
    const interruption = await this.#finish(run, searchId);
    return { result: run.result, view, recorder, interruption };
  }

  /** Runs to the end. Returns why the run ended early; undefined if it did not. */
  async #finish(run: HopRun, searchId: string): Promise<Interruption | undefined> {
    try {
      await run.run();
      return undefined;
    } catch (error) {
      if (error instanceof BudgetExhausted) return error.budget;
      if (!run.isFirstSearchDone || isOutdated(error)) throw error;
      this.#dependencies.onFailure(error, searchId);
      return 'error';
    }
  }
}

function findingOf(
  { paths, memories, model, warnings }: HopResult,
  view: ReadView,
  interruption: Interruption | undefined,
): Finding {
  return {
    best: paths.map((path) => ({ memory: memories.get(endOf(path))!, score: path.relevance })),
    position: view.position,
    warnings: interruption ? [...warnings, warningOf(interruption)] : warnings,
    ...(model !== undefined && { embeddingModel: model }),
    view,
  };
}
