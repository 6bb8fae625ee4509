import type { TenantContext } from '../../domain/access/context.ts';
import { spacesForModel, type SpaceChoiceByModel } from '../../domain/content-routing/model-choice.ts';
import {
  matchingRules,
  spacesOfAll,
  type ContentToRoute,
  type RoutedContent,
} from '../../domain/content-routing/rules.ts';
import { subjectsOf, type FoundSubject } from '../../domain/content-routing/subjects.ts';
import type { RoutedBy } from '../../domain/documents/events.ts';
import { agreedSpaces } from '../../domain/content-routing/votes.ts';
import { spacesListing, takesUnasked, type Spaces } from '../../domain/spaces/spaces.ts';
import { LexicalIndexUnavailable } from '../../ports/lexical-index.ts';
import type { SearchService, SpacesOf } from '../search/search.ts';
import type { ContentRoutingDirectory } from './content-routing-directory.ts';

/** UTF-16 units of a text that its nearest memories are looked for by. */
const maxCompared = 2_000;
/** Memories that are looked at: more than ever have a say. */
const maxNear = 20;

export interface RoutedSpaces {
  readonly spaces: readonly string[];
  readonly because: RoutedBy;
  readonly details: {
    /** Indexes of the rules whose conditions hold, and whether they are the tenant's own. */
    readonly rules?: readonly number[];
    readonly configured: boolean;
    /** Subjects of presets that the text speaks of. */
    readonly subjects?: readonly FoundSubject[];
    /** The language model that chose. */
    readonly model?: string;
  };
}

export interface ContentRouterDependencies {
  readonly directory: Pick<ContentRoutingDirectory, 'of'>;
  readonly spaces: SpacesOf;
  readonly search: Pick<SearchService, 'find'>;
  /** Whether any memory of the tenant is in a space; if not, near memories are not searched for. */
  readonly hasMemoriesInSpaces: (tenant: string) => Promise<boolean>;
  /** Undefined if no language model is configured. */
  readonly model?: SpaceChoiceByModel | undefined;
}

/**
 * Chooses the spaces of a document that names none: by all rules that hold together; where none does, by what it is about, if that is sure;
 * then by the language model where spaces want that; else the fallback.
 */
export class ContentRouter {
  readonly #dependencies: ContentRouterDependencies;

  constructor(dependencies: ContentRouterDependencies) {
    this.#dependencies = dependencies;
  }

  /** `caller` is who stores the document: only memories that it sees are compared. Rejects with the reason of `signal` once it is aborted. */
  async route(
    caller: TenantContext,
    content: ContentToRoute,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<RoutedSpaces> {
    const { directory, spaces: spacesOf, model } = this.#dependencies;
    const [routing, spaces] = await Promise.all([directory.of(caller.tenant), spacesOf.of(caller.tenant)]);
    const { rules, configured, fallback = [] } = routing;
    const usable = (chosen: readonly string[]) =>
      chosen.filter((space) => isUsable(spaces, space, content.isUnasked ?? false));
    const matching = matchingRules(rules, content);
    const listing = content.source === undefined ? [] : spacesListing(spaces, content.source);
    const byRules = usable(spacesOfAll([...matching.map((index) => rules[index]!.spaces), listing]));
    if (byRules.length > 0)
      return { spaces: byRules, because: 'rule', details: { rules: matching, configured } };
    const subjects = subjectsOf(spaces, content);
    const similar = usable(await this.#similar(caller, content, subjects));
    signal.throwIfAborted();
    if (similar.length > 0)
      return {
        spaces: similar,
        because: 'similar',
        details: { configured, ...(subjects.length > 0 && { subjects }) },
      };
    const { tenant } = caller;
    const offered = spacesForModel(spaces).filter(({ id }) => usable([id]).length > 0);
    const chosen = await model?.choose(tenant, content.id, content, offered, signal);
    if (chosen && chosen.spaces.length > 0)
      return { spaces: chosen.spaces, because: 'model', details: { configured, model: chosen.model } };
    const last = usable(fallback);
    return { spaces: last, because: last.length > 0 ? 'fallback' : 'none', details: { configured } };
  }

  /** The spaces whose memories are surely like the text, or whose subjects it surely speaks of; none otherwise. */
  async #similar(
    caller: TenantContext,
    { title = '', text }: RoutedContent,
    subjects: readonly FoundSubject[],
  ): Promise<readonly string[]> {
    const bySubject = subjects.map(({ space }) => space);
    const agreed = await this.#agreed(caller, `${title}\n${text}`.trim().slice(0, maxCompared));
    if (!agreed) return bySubject;
    if (bySubject.length === 0) return agreed.length === 1 ? agreed : [];
    // Both speak: what they have in common, and nothing if they contradict each other.
    return agreed.some((space) => bySubject.includes(space)) ? bySubject : [];
  }

  async #agreed(caller: TenantContext, query: string): Promise<readonly string[] | undefined> {
    const { search, hasMemoriesInSpaces } = this.#dependencies;
    if (query === '' || !(await hasMemoriesInSpaces(caller.tenant))) return undefined;
    try {
      const { best } = await search.find(caller, { query, topK: maxNear, threshold: 0 });
      return agreedSpaces(
        best.map(({ memory, score }) => ({ spaces: memory.spaces ?? [], relevance: score })),
      );
    } catch (error) {
      if (error instanceof LexicalIndexUnavailable) return undefined;
      throw error;
    }
  }
}

/** Whether a space may be chosen: a strict tenant has configured spaces only, and `autoIngest: false` keeps out what nobody asked for. */
function isUsable(spaces: Spaces, space: string, isUnasked: boolean): boolean {
  const { configured, strict } = spaces;
  return (!strict || configured.has(space)) && (!isUnasked || takesUnasked(spaces, space));
}
