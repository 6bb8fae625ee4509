import type { TenantContext } from '../../domain/access/context.ts';
import { visible } from '../../domain/access/visibility.ts';
import { beginPath, endOf, extendPath, type Path, type Step } from '../../domain/hops/path.ts';
import { BestPaths } from '../../domain/hops/best-paths.ts';
import type { LinkType } from '../../domain/links/links.ts';
import type { MemoryView } from '../../domain/memory/view.ts';
import type { Action, Hop } from '../../domain/routing/actions.ts';
import { withEvidence } from '../../domain/routing/evidence.ts';
import { fieldValuesOf, type FieldValuePair } from '../../domain/routing/field-values.ts';
import { mentionsFilter } from '../../domain/routing/mentions.ts';
import type { Sql } from '../../ports/sql.ts';
import { readLinked } from '../linked.ts';
import { memoryOf } from '../memory-row.ts';
import type { ReadView, Wait } from '../read-models.ts';
import { BudgetExhausted, type Budget } from '../routing/budget.ts';
import { intersect } from '../routing/search-bounds.ts';
import type { StepResult, TrajectoryRecorder } from '../routing/trajectory-recorder.ts';
import type { SearchRequest } from '../search/query.ts';
import type { FindOptions } from '../search/search.ts';
import type { Finding, Warning } from '../search/finding.ts';

/** Minimum results of the first search. Memories that lead to the answer may rank below others. */
const minFirstResults = 10;
/** How many of the memories reached by a hop are followed further, most relevant first. */
const breadth = 50;
/** Minimum results of a search for mentioned memories, which may hardly resemble the question. */
const minMentionResults = 50;
const maxLinked = 500;
/**
 * Evidence (`withEvidence`) of a memory that is mentioned by a memory on the path: twice that of meeting a condition of the
 * question, because a memory that is a hop away need not resemble the question at all.
 */
const namingEvidence = 2;

export interface HopDependencies {
  readonly sql: Sql;
  readonly search: (caller: TenantContext, request: SearchRequest, options: FindOptions) => Promise<Finding>;
  /** For each memory, what it mentions by identifiers that the tenant knows, as far as the caller may see it. */
  readonly mentions: (
    caller: TenantContext,
    memories: readonly MemoryView[],
    demand: Wait,
  ) => Promise<FieldValuePair[][]>;
}

export interface HopSetting extends HopDependencies {
  readonly caller: TenantContext;
  /** The request of the first search. Its threshold also applies to the relevance of paths. */
  readonly request: SearchRequest;
  readonly linkTypes: readonly LinkType[] | undefined;
  /** Maximum hops from the results of the first search. */
  readonly depth: number;
  readonly view: ReadView;
  readonly budget: Budget;
  readonly recorder: TrajectoryRecorder;
}

export interface HopResult {
  readonly paths: readonly Path[];
  readonly memories: ReadonlyMap<string, MemoryView>;
  /** For each memory, the numbers of the steps that reached it. */
  readonly steps: ReadonlyMap<string, ReadonlySet<number>>;
  readonly model: string | undefined;
  readonly warnings: readonly Warning[];
  readonly maxDepth: number;
}

/** One search over several hops. Its results so far can be read at any time. */
export class HopRun {
  readonly #setting: HopSetting;
  readonly #paths: BestPaths;
  readonly #memories = new Map<string, MemoryView>();
  readonly #steps = new Map<string, Set<number>>();
  readonly #warnings = new Map<string, Warning>();
  #model: string | undefined;
  #depth = 0;
  #isFirstSearchDone = false;

  constructor(setting: HopSetting) {
    this.#setting = setting;
    this.#paths = new BestPaths(setting.request.threshold);
  }

  /** The best paths found so far. */
  get result(): HopResult {
    return {
      paths: this.#paths.best(this.#setting.request.topK),
      memories: this.#memories,
      steps: this.#steps,
      model: this.#model,
      warnings: [...this.#warnings.values()],
      maxDepth: this.#depth,
    };
  }

  /** Whether the first search, with which all paths begin, has finished. */
  get isFirstSearchDone(): boolean {
    return this.#isFirstSearchDone;
  }

  /** Follows paths up to the depth and the threshold. Throws `BudgetExhausted` and any error of a search. */
  async run(): Promise<void> {
    await this.#begin();
    for (let hop = 1; hop <= this.#setting.depth; hop++) {
      const from = this.#paths.next(breadth);
      if (from.length === 0) return;
      this.#depth = hop;
      await this.#followLinks(from);
      await this.#followMentions(from);
    }
  }

  async #begin(): Promise<void> {
    const { request, budget } = this.#setting;
    const { query, layers, scope, filter } = request;
    await this.#record(
      { name: 'SearchLayer', operand: 0, query, layers, scope, filter },
      [],
      async (step) => {
        budget.takeSearch(query);
        const { best } = await this.#search({ ...request, topK: Math.max(request.topK, minFirstResults) });
        this.#isFirstSearchDone = true;
        for (const { memory, score } of best)
          this.#reach(memory, beginPath({ via: 'search', memoryId: memory.id, score }), step);
        return best.map(({ memory, score }) => ({ memoryId: memory.id, score }));
      },
    );
  }

  async #followLinks(from: readonly Path[]): Promise<void> {
    const { caller, request, linkTypes, view, budget, sql } = this.#setting;
    const { layers, scope, spaces, tags, filter } = request;
    const ends = new Map(from.map((path) => [endOf(path), path]));
    const ids = [...ends.keys()];
    const hop: Hop = { name: 'FollowLinks', from: ids, ...(linkTypes && { types: linkTypes }) };
    await this.#record(hop, from, async (step) => {
      budget.takeSearch();
      const region = {
        tenant: caller.tenant,
        visibility: visible(caller),
        ...(layers && { layers }),
        ...(scope && { scope }),
      };
      const own = { spaces, tags, filter, asker: caller.user, visibility: visible(caller) };
      const asked = { region, types: linkTypes, limit: maxLinked, ...own };
      const rows = await budget.within(readLinked(sql, view, ids, asked));
      return rows.flatMap((row) => {
        const { type, direction, confidence: score } = row;
        const next: Step = { via: 'link', type, direction, memoryId: row.memory_id, score };
        return this.#extend(ends.get(row.via)!, next, memoryOf(row), step);
      });
    });
  }

  /** Searches once for everything that the memories mention. Most texts mention nothing, so usually no search is needed. */
  async #followMentions(from: readonly Path[]): Promise<void> {
    const { caller, request, budget, mentions } = this.#setting;
    const memories = from.map((path) => this.#memories.get(endOf(path))!);
    const named = await budget.within(mentions(caller, memories, request));
    const filter = mentionsFilter(named.flat());
    const narrowing = filter && intersect(request, { filter });
    if (!narrowing) return;
    const naming = from.flatMap((path, index) => {
      const names = named[index]!;
      return names.length === 0 ? [] : [{ path, names }];
    });
    const { query } = request;
    const sources = naming.map(({ path, names }) => ({ from: endOf(path), names }));
    await this.#record({ name: 'FollowMentions', query, mentions: sources }, from, async (step) => {
      budget.takeSearch(query);
      const topK = Math.max(request.topK, minMentionResults);
      const { best } = await this.#search({ ...request, ...narrowing, topK, threshold: 0 });
      return best.flatMap(({ memory, score }) => {
        const values = new Set(fieldValuesOf(memory).map(keyOfPair));
        return naming.flatMap(({ path, names }) => {
          const own = names.filter((name) => values.has(keyOfPair(name)));
          if (own.length === 0) return [];
          const end = { memoryId: memory.id, score: withEvidence(score, namingEvidence) };
          return this.#extend(path, { via: 'mention', names: own, ...end }, memory, step);
        });
      });
    });
  }

  async #search(request: SearchRequest): Promise<Finding> {
    const { caller, view, budget, search } = this.#setting;
    // Keep near-duplicates, because a path may go through either of them.
    const finding = await budget.within(search(caller, request, { view, keepsCopies: true }));
    this.#model ??= finding.embeddingModel;
    for (const warning of finding.warnings) this.#warnings.set(warning.detail, warning);
    return finding;
  }

  #extend(path: Path, step: Step, memory: MemoryView, number: number): StepResults {
    const longer = extendPath(path, step);
    if (!longer || !this.#reach(memory, longer, number)) return [];
    return [{ memoryId: memory.id, score: longer.relevance }];
  }

  #reach(memory: MemoryView, path: Path, step: number): boolean {
    if (!this.#paths.add(path)) return false;
    this.#memories.set(memory.id, memory);
    const steps = this.#steps.get(memory.id);
    if (steps) steps.add(step);
    else this.#steps.set(memory.id, new Set([step]));
    return true;
  }

  /** Takes a step, and records the memories that it reached with the relevance of their paths. */
  async #record(
    action: Action | Hop,
    from: readonly Path[],
    take: (step: number) => Promise<StepResults>,
  ): Promise<void> {
    const { recorder, budget } = this.#setting;
    budget.takeStep();
    const { queries, wall } = budget.used;
    const features = { depth: this.#depth, paths: from.length, queriesUsed: queries, wallUsed: wall };
    const choice = { index: 0, propensity: 1 };
    const opened = { depth: this.#depth, parent: undefined, features, actions: [action], choice };
    const { step, end } = recorder.begin(opened);
    try {
      const results = await take(step);
      end({ status: 'done', found: results.length, results });
    } catch (error) {
      const unfinished = error instanceof BudgetExhausted;
      end({ status: unfinished ? 'unfinished' : 'failed', reason: unfinished ? error.budget : 'error' });
      throw error;
    }
  }
}

type StepResults = NonNullable<StepResult['results']>;

function keyOfPair({ field, value }: FieldValuePair): string {
  return JSON.stringify([field, value]);
}
