import type { TenantContext } from '../../domain/access/context.ts';
import { mayHint, takeHints } from '../../domain/content-routing/hints.ts';
import { agreedSpaces } from '../../domain/content-routing/votes.ts';
import type { SpaceChoice } from '../../domain/retrieval/space-choice.ts';
import { queryTerms } from '../../domain/text/tokens.ts';
import { LexicalIndexUnavailable } from '../../ports/lexical-index.ts';
import type { ReadModels } from '../read-models.ts';
import type { SearchRequest } from '../search/query.ts';
import type { SearchService, SpacesOf } from '../search/search.ts';
import { readSpaceSizes } from '../spaces.ts';

/** Memories that are looked at: more than ever have a say. */
const maxNear = 20;
/** A single word may be meant in any space. */
const leastTerms = 2;

export interface QuestionSpacesDependencies {
  readonly models: ReadModels;
  readonly search: Pick<SearchService, 'find'>;
  readonly spaces: SpacesOf;
}

/** The part of a request that the spaces are chosen for. */
export type SpacelessRequest = Omit<SearchRequest, 'spaces' | 'topK' | 'threshold'>;

/** A question with the spaces that it is asked of; all of them if there are none. */
export interface PlacedQuestion {
  readonly query: string;
  readonly spaces: readonly string[] | undefined;
  readonly choice: SpaceChoice;
}

/**
 * Chooses the spaces of a question whose caller leaves that open. Spaces that the question names count; otherwise all memories that are
 * nearly as near as the best one must agree, so that narrowing takes nothing away that answers it.
 */
export class QuestionSpaces {
  readonly #dependencies: QuestionSpacesDependencies;

  constructor(dependencies: QuestionSpacesDependencies) {
    this.#dependencies = dependencies;
  }

  /** Rejects as a search does. */
  async choose(caller: TenantContext, request: SpacelessRequest): Promise<PlacedQuestion> {
    const { query } = request;
    if (mayHint(query)) {
      const named = takeHints(query, await this.#known(caller, request));
      if (named.spaces.length > 0) return placed(named.query, named.spaces, 'hint');
    }
    // What was near then is not known without searching the past twice.
    const isOpen = request.asOf !== undefined || queryTerms(query).length < leastTerms;
    const agreed = isOpen ? undefined : await this.#agreed(caller, request);
    return agreed ? placed(query, agreed, 'similar') : placed(query, [], 'unsure');
  }

  /** The spaces that are configured, and those of memories that the caller sees. */
  async #known(
    caller: TenantContext,
    { minPosition, waitMs }: SpacelessRequest,
  ): Promise<ReadonlySet<string>> {
    const { models, spaces } = this.#dependencies;
    const [{ configured }, { of }] = await Promise.all([
      spaces.of(caller.tenant),
      readSpaceSizes(models, caller, { minPosition, waitMs }),
    ]);
    return new Set([...of.keys(), ...configured.keys()]);
  }

  async #agreed(caller: TenantContext, request: SpacelessRequest): Promise<readonly string[] | undefined> {
    try {
      const asked = { ...request, topK: maxNear, threshold: 0 };
      const { best } = await this.#dependencies.search.find(caller, asked);
      return agreedSpaces(
        best.map(({ memory, score }) => ({ spaces: memory.spaces ?? [], relevance: score })),
      );
    } catch (error) {
      // The search itself says what cannot be searched.
      if (error instanceof LexicalIndexUnavailable) return undefined;
      throw error;
    }
  }
}

function placed(query: string, chosen: readonly string[], because: SpaceChoice['because']): PlacedQuestion {
  return {
    query,
    spaces: chosen.length > 0 ? chosen : undefined,
    choice: { chosen: [...chosen], because },
  };
}
