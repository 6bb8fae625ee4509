import type { ExplainedScore } from '../../domain/ranking/score-parts.ts';
import type { CandidateQuery, CandidateSource, Hit, SourceKind } from './sources/candidate-source.ts';
import type { Query } from './query.ts';
import type { FoundRow, Scored, Shortlist } from './shortlist.ts';
import type { ShowOptions } from './shown.ts';

/** How many candidates of a search are explained, besides its results. */
export const maxExplained = 100;

/** What a search is for: the question, a part of it, or the memories that supersede what was found. */
export const purposes = ['question', 'part', 'successors'] as const;
export type Purpose = (typeof purposes)[number];

/** What one source found. */
export interface SearchedSource {
  readonly kind: SourceKind;
  /** Whether it looked only within the periods that the question names. */
  readonly inPeriods: boolean;
  readonly durationMs: number;
  /** Best first, except for a scan, which compares memories by several signals and has no order. */
  readonly ids: readonly string[];
}

export interface ExplainedCandidate extends ExplainedScore {
  readonly found: Scored;
  /** Whether a memory of a more specific layer says the same. */
  readonly isCopy: boolean;
}

/** What an explanation knows of one search: its sources, its candidates and how long it took. */
export class AttemptNotes {
  readonly sources: SearchedSource[] = [];
  /** How many different candidates all sources found. */
  found = 0;
  /** Best first. */
  candidates: readonly ExplainedCandidate[] = [];
  candidatesMs = 0;
  rankingMs = 0;
  /** Number of candidates that each source was asked for. */
  readonly limit: number;
  #at = performance.now();

  constructor(limit: number) {
    this.limit = limit;
  }

  collected(found: number): void {
    this.found = found;
    this.candidatesMs = this.#lap();
  }

  /** Explains the first candidates and all of `best`. Reads each, so that no deleted memory is explained. */
  async ranked(
    list: Shortlist,
    best: readonly Scored[],
    read: (ids: readonly string[]) => Promise<readonly FoundRow[]>,
  ): Promise<void> {
    this.rankingMs = this.#lap();
    const ids = [...new Set([...list.first(maxExplained), ...best.map(({ memory }) => memory.id)])];
    this.candidates = await list.explain(await read(ids));
  }

  #lap(): number {
    const [from, to] = [this.#at, (this.#at = performance.now())];
    return to - from;
  }
}

/** Finds with a source, and notes what it found if the search is explained. */
export async function findAndNote<Found extends Hit>(
  source: Pick<CandidateSource, 'kind' | 'inPeriods'> & {
    find(query: CandidateQuery, limit: number): Promise<readonly Found[]>;
  },
  query: CandidateQuery,
  limit: number,
  notes: AttemptNotes | undefined,
): Promise<readonly Found[]> {
  if (!notes) return source.find(query, limit);
  const started = performance.now();
  const hits = await source.find(query, limit);
  const { kind, inPeriods = false } = source;
  const ids = hits.flatMap(({ memory_id: id, length }) => (length === null ? [] : [id]));
  notes.sources.push({ kind, inPeriods, durationMs: performance.now() - started, ids });
  return hits;
}

export interface ExplainedSearch {
  readonly purpose: Purpose;
  readonly text: string;
  readonly words: readonly string[];
  readonly preparationMs: number;
  readonly attempt: AttemptNotes;
}

/** What `SearchService.show` had to choose from. */
export interface Choice {
  readonly best: readonly Scored[];
  readonly successors: readonly Scored[];
  readonly superseding: ReadonlyMap<string, string>;
  readonly options: ShowOptions;
}

/** Collects how a search arrives at its answer, which it does not change. */
export class SearchExplanation {
  readonly #searches: ExplainedSearch[] = [];
  #choice: Choice | undefined;

  /** In the order in which they were finished. */
  get searches(): readonly ExplainedSearch[] {
    return this.#searches;
  }

  get choice(): Choice | undefined {
    return this.#choice;
  }

  searched(
    purpose: Purpose,
    { denseText, lexicalText, terms }: Query,
    { attempt, preparationMs }: Pick<ExplainedSearch, 'attempt' | 'preparationMs'>,
  ): void {
    this.#searches.push({
      purpose,
      text: denseText ?? lexicalText,
      words: terms,
      preparationMs,
      attempt,
    });
  }

  chose(choice: Choice): void {
    this.#choice = choice;
  }
}
