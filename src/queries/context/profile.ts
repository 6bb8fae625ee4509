import type { TenantContext } from '../../domain/access/context.ts';
import { isVisible, visible } from '../../domain/access/visibility.ts';
import type { BlockStatement, ProfileCandidate } from '../../domain/context/block.ts';
import { replacementSteps } from '../../domain/context/replacements.ts';
import { isTiedToDays } from '../../domain/context/stable.ts';
import { depths } from '../../domain/summaries/depths.ts';
import { extractive } from '../../domain/summaries/settings.ts';
import { statementsOf } from '../../domain/summaries/statements.ts';
import type { SummaryScope } from '../../domain/summaries/summary-scope.ts';
import { estimatedTokens } from '../../domain/text/passages.ts';
import { runInSlices } from '../../support/time-slice.ts';
import type { ReadModels, ReadView } from '../read-models.ts';
import { readNewestSources, type ScopeSource } from '../summaries/scope-sources.ts';
import { readSummaryRows, type PlacedRow } from '../summaries/summary-rows.ts';

/** The newest memories of the user that are read. */
const mostMemories = 200;
/** More statements than a profile has room for. */
const mostStatements = 60;
/** A longer memory, in estimated tokens, is quoted only as far as the summary of the user quotes it. */
const longestWhole = 60;

/**
 * What is stably true of a user: first what the summary of the user quotes, then other memories of the layer `user` by their importance.
 * None of them is superseded, called outdated or tied to single days. Undefined if there is nothing.
 */
export async function readProfile(
  models: ReadModels,
  view: ReadView,
  caller: TenantContext,
  { user, id }: { readonly user: string; readonly id: string },
): Promise<ProfileCandidate | undefined> {
  const place: SummaryScope = { layer: 'user', scope: { user } };
  if (!isVisible(visible(caller), place)) return undefined;
  const [sources, rows] = await Promise.all([
    readNewestSources(models, view, caller.tenant, place, mostMemories),
    readSummaryRows(models.sql, view, caller, { layers: ['user'], scope: { user } }),
  ]);
  const quoted = quotationsOf(rows);
  const ranks = new Map([...quoted.keys()].map((key, rank) => [key, rank]));
  const stable = sources
    .filter(({ content, time }) => !isTiedToDays(content, time.toISOString()))
    .sort(
      (left, right) =>
        (ranks.get(left.id) ?? Infinity) - (ranks.get(right.id) ?? Infinity) ||
        right.importance - left.importance ||
        (left.id < right.id ? -1 : 1),
    )
    .flatMap((source) => {
      const texts = source.content.trim() === '' ? [] : textsOf(source, quoted.get(source.id));
      return texts.map((text): BlockStatement & { readonly source: ScopeSource } => ({
        text,
        sources: [
          { id: source.id, ...(source.externalId !== undefined && { externalId: source.externalId }) },
        ],
        source,
      }));
    })
    .slice(0, mostStatements);
  const replaced = await runInSlices(
    replacementSteps(
      [...new Set(stable.map(({ source }) => source))].map(({ id: memory, content, time }) => ({
        id: memory,
        content,
        ...place,
        metadata: {},
        occurredAt: time.toISOString(),
      })),
    ),
  );
  const statements = stable
    .filter(({ source }) => !replaced.has(source.id))
    .map(({ text, sources: from }) => ({ text, sources: from }));
  return statements.length > 0 ? { id, ...place, statements } : undefined;
}

/** By memory id, what the summaries of the user quote of it; the memories of the shortest summary come first. */
function quotationsOf(rows: readonly PlacedRow[]): ReadonlyMap<string, string[]> {
  const quoted = new Map<string, string[]>();
  const shortestFirst = rows.toSorted(
    (left, right) => depths.indexOf(left.depth) - depths.indexOf(right.depth),
  );
  for (const {
    content,
    sources,
    facts: { revisions, model },
  } of shortestFirst)
    for (const { text, sources: cited } of statementsOf(content, revisions.length, model !== extractive)) {
      const id = cited.length === 1 ? sources[cited[0]!]! : undefined;
      if (id === undefined) continue;
      const texts = quoted.get(id) ?? [];
      if (!texts.includes(text)) quoted.set(id, [...texts, text]);
    }
  return quoted;
}

/** The whole text of a short memory; of a long one, the quotations that are still in it. */
function textsOf({ content }: ScopeSource, quoted: readonly string[] = []): readonly string[] {
  const whole = content.trim();
  if (estimatedTokens(whole, { start: 0, end: whole.length }) <= longestWhole) return [whole];
  return quoted.filter((text) => content.includes(text));
}
