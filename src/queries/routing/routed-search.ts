import { v7 as uuid } from 'uuid';
import type { TenantContext } from '../../domain/access/context.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Strategy } from '../../domain/reasoning/settings.ts';
import { signSearchId } from '../../domain/retrieval/search-id.ts';
import type { Trajectory } from '../../domain/retrieval/trajectory.ts';
import { complexityOf, signalNames, signalWeights } from '../../domain/routing/complexity.ts';
import { chooseRoute } from '../../domain/learning/choose-route.ts';
import { sessionOf } from '../../domain/learning/session-key.ts';
import type { Route, RoutingSettings } from '../../domain/routing/settings.ts';
import { estimateTokens } from '../../domain/text/estimate-tokens.ts';
import { leastRelevance, type Cut } from '../../domain/ranking/cut.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import {
  answerOf,
  withEvents,
  type Asked,
  type Performance,
  type ResultOrder,
  type SearchAnswer,
  type SearchFact,
} from '../search/answer.ts';
import { timeOfAsking, type SearchRequest } from '../search/query.ts';
import type { Finding } from '../search/finding.ts';
import { maxCompared } from '../search/precedence.ts';
import type { SearchService } from '../search/search.ts';
import { warningOf, type Run } from './executor.ts';
import {
  eventsOf,
  GuardedExecutor,
  type ComplexSearch,
  type GuardedExecutorDependencies,
} from './guarded-executor.ts';
import type { OutcomePosters } from './outcome-posters.ts';
import type { RoutePolicies } from './route-policies.ts';
import type { RoutingDirectory } from './routing-directory.ts';

/** Additional results to search for, as replacements for superseded memories that are left out. */
const spare = 10;
const maxResults = 1_000;

export interface RoutedSearchDependencies extends GuardedExecutorDependencies {
  readonly search: SearchService;
  readonly directory: RoutingDirectory;
  readonly policies: RoutePolicies;
  readonly posters: Pick<OutcomePosters, 'has'>;
  readonly vault: KeyVault;
  readonly clock: Clock;
  readonly onRouted: (route: Route, score: number) => void;
}

export interface RoutedRequest {
  readonly asksForStandard?: boolean;
  /** A focused answer also shows what is far behind the best. */
  readonly keepsDistant?: boolean;
  readonly filterAsSent?: JsonObject | undefined;
  /** How a decomposition searches, chosen by experience. A strategy that the tenant has set is kept. */
  readonly strategy?: Strategy | undefined;
}

export interface RoutedAnswer extends SearchAnswer {
  /** Number of the part of a decomposed question that a memory answers best, by the id of the memory. */
  readonly parts: ReadonlyMap<string, number>;
  /** Ids of the memories that replace another one of the answer by what they say, or are replaced by one. */
  readonly changed: ReadonlySet<string>;
  /** In shadow mode, resolves with the events of the decomposition when it is finished. */
  readonly later?: Promise<SearchFact>;
}

interface Decision {
  readonly route: Route;
  readonly settings: RoutingSettings;
  readonly session: string | undefined;
  readonly recorded: NonNullable<Performance['decision']>;
}

/** What a route found. */
interface Found {
  readonly finding: Finding;
  /** Whether it is the finding of a decomposition. */
  readonly isDecomposed: boolean;
  /** Whether it has several parts, which may be far apart. */
  readonly isDivided: boolean;
  readonly events: SearchFact['events'];
  readonly tokens: number;
}

interface Search extends ComplexSearch {
  readonly id: string;
  readonly order: ResultOrder;
  readonly cut: Cut;
}

/**
 * Answers simple questions with one search, and complex ones by decomposition, with the standard search as a fallback. The answer
 * has the same shape in both cases and does not reveal the route.
 */
export class RoutedSearch {
  readonly #dependencies: RoutedSearchDependencies;
  readonly #executor: GuardedExecutor;
  readonly #shadows = new Set<Promise<unknown>>();

  constructor(dependencies: RoutedSearchDependencies) {
    this.#dependencies = dependencies;
    this.#executor = new GuardedExecutor(dependencies);
  }

  /** The same over other read models: for searches as of a position, which are never decomposed. */
  over(others: Pick<RoutedSearchDependencies, 'search' | 'policies'>): RoutedSearch {
    return new RoutedSearch({ ...this.#dependencies, ...others });
  }

  /** Rejects as `SearchService.find` does. */
  async search(
    caller: TenantContext,
    asked: Asked,
    { asksForStandard = false, keepsDistant = false, filterAsSent, strategy }: RoutedRequest = {},
  ): Promise<RoutedAnswer> {
    const started = performance.now();
    const cut: Cut = asked.threshold === undefined ? 'focused' : { threshold: asked.threshold };
    const { includeSuperseded = true, order, sessionId, ...rest } = asked;
    // All parts of a question are asked at the same time, which is recorded.
    const now = timeOfAsking(asked, this.#dependencies.clock);
    const topK = includeSuperseded ? asked.topK : Math.min(asked.topK + spare, maxResults);
    const request: SearchRequest = { ...rest, now, topK, threshold: leastRelevance(cut) };
    const id = uuid();
    const decision = await this.#decide(caller, id, { ...request, sessionId }, asksForStandard);
    const { route, settings, recorded, session } = decision;
    this.#dependencies.onRouted(route, recorded.score);
    const searchId = signSearchId(this.#dependencies.vault, caller, id);
    const search = { id, searchId, caller, request, order, cut, strategy };
    const found =
      route === 'decomposition' ? await this.#decompose(search, settings) : await this.#standard(search);
    const { isDecomposed, isDivided, events, tokens } = found;
    const { finding, superseding } = await this.#dependencies.search.show(caller, request, found.finding, {
      cut,
      topK: asked.topK,
      order,
      includeSuperseded,
      keepsDistant: keepsDistant || isDivided,
    });
    const answer = await answerOf({ ...asked, now }, finding, {
      id,
      searchId: search.searchId,
      route: isDecomposed ? 'decomposition' : 'standard',
      decision: recorded,
      session,
      tokens,
      durationMs: performance.now() - started,
      filterAsSent,
      superseding,
    });
    const parts = new Map(
      finding.best.flatMap(({ memory, part }) => (part === undefined ? [] : [[memory.id, part]])),
    );
    const changed = new Set(finding.best.flatMap(({ memory, isChanged }) => (isChanged ? [memory.id] : [])));
    const whole = { ...withEvents(answer, events), parts, changed };
    return recorded.reason === 'shadow'
      ? { ...whole, later: this.#shadow(search, settings, finding) }
      : whole;
  }

  /** Resolves when no shadow is running any more. */
  async settle(): Promise<void> {
    await Promise.all(this.#shadows);
  }

  async #decide(
    caller: TenantContext,
    id: string,
    { query: question, asOf, sessionId }: Pick<Asked, 'query' | 'asOf' | 'sessionId'>,
    asksForStandard: boolean,
  ): Promise<Decision> {
    const { directory, policies, posters, vault } = this.#dependencies;
    const { tenant } = caller;
    const session = sessionOf(vault, caller, sessionId);
    const [settings, killed, inForce, isObservable] = await Promise.all([
      directory.settings(tenant),
      directory.killed(),
      policies.inForce(tenant),
      session !== undefined || posters.has(caller),
    ]);
    const complexity = complexityOf(question);
    const { taken, reason, ...choice } = chooseRoute({
      tenant,
      question,
      id,
      session,
      complexity,
      settings,
      policies: inForce,
      isObservable,
      asksForStandard,
      asksAsOf: asOf !== undefined,
      switchedOff: directory.switchedOff.routing,
      killed,
    });
    const { score, signals } = complexity;
    const recorded = {
      reason,
      score,
      threshold: settings.threshold,
      signals: signalNames.map((name) => ({ name, value: signals[name], weight: signalWeights[name] })),
      choice: { ...choice, arms: [...choice.arms], propensities: [...choice.propensities], taken },
    };
    return { route: taken, settings, session, recorded };
  }

  /** A focused answer in precedence is compared with what it does not show: newer memories of the same matter may score less. */
  async #standard({ caller, request, order, cut }: Search): Promise<Found> {
    const isCompared = cut === 'focused' && order === 'precedence';
    const finding = await this.#dependencies.search.find(
      caller,
      isCompared ? { ...request, topK: Math.max(request.topK, maxCompared), threshold: 0 } : request,
    );
    const tokens = estimateTokens(request.query.length);
    return { finding, isDecomposed: false, isDivided: false, events: [], tokens };
  }

  async #decompose(search: Search, settings: RoutingSettings): Promise<Found> {
    const execution = await this.#executor.run(search, settings);
    const { run, finding, isDivided } = execution;
    const { tokens } = run;
    if (finding) {
      const events = eventsOf(search.searchId, execution, { shown: true });
      return { finding, isDecomposed: true, isDivided, events, tokens };
    }
    const standard = await this.#standard(search);
    const warnings = [...standard.finding.warnings, warningOf(run.interruption ?? 'error')];
    return {
      finding: { ...standard.finding, warnings },
      isDecomposed: false,
      isDivided: false,
      events: eventsOf(search.searchId, execution, { shown: false }),
      tokens: tokens + standard.tokens,
    };
  }

  /** Decomposes the question concurrently with the answer and after it, and records how the results differ. */
  #shadow(search: Search, settings: RoutingSettings, shownFinding: Finding): Promise<SearchFact> {
    const compare = async (): Promise<SearchFact> => {
      const request = { ...search.request, explanation: undefined };
      const execution = await this.#executor.run({ ...search, request }, settings);
      const difference = differenceOf(execution.run, shownFinding);
      return { id: search.id, events: eventsOf(search.searchId, execution, { shown: false, difference }) };
    };
    const running = compare();
    const settled = running.catch(() => undefined).finally(() => this.#shadows.delete(settled));
    this.#shadows.add(settled);
    return running;
  }
}

function differenceOf({ citations }: Run, { best }: Finding): NonNullable<Trajectory['difference']> {
  const shown = new Set(best.map(({ memory }) => memory.id));
  const shared = citations.filter(({ memoryId }) => shown.has(memoryId)).length;
  return { shared, added: citations.length - shared, missing: shown.size - shared };
}
