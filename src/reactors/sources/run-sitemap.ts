import { Robots } from '../../domain/sources/robots.ts';
import type { ListedPage } from '../../domain/sources/sitemap.ts';
import { goneFrom, type Source, type SourceRun } from '../../domain/sources/sources.ts';
import { FetchFailed, type Fetcher } from '../../ports/fetcher.ts';
import { listPages } from './page-list.ts';
import { ItemCounts, nothingDone, type RunResult } from './run-counts.ts';
import { receivePage, type FetchingParts } from './run-single.ts';
import type { ItemOutcome, SourceDocuments } from './source-documents.ts';

/** Pages in a row that a server does not send before the others are left for the next run. */
const maxFailuresInARow = 5;

/** Reads the pages that a sitemap lists, of which each is a document. `last` is a run with the same configuration. */
export async function runSitemap(
  parts: FetchingParts,
  documents: SourceDocuments,
  { location }: Source,
  { last, minPosition }: { readonly last: SourceRun | undefined; readonly minPosition: number },
  signal: AbortSignal,
): Promise<RunResult> {
  const list = await listPages(parts.fetcher, location, signal);
  const known = await documents.known(minPosition);
  if (list.pages.length === 0 && known.length > 0)
    return {
      ...nothingDone,
      problem: { code: 'empty-listing', detail: 'the sitemap has no pages any more' },
      isFailure: true,
    };
  const robots = new RobotsOfHosts(parts.fetcher);
  const counts = new ItemCounts();
  let [forbidden, failuresInARow] = [0, 0];
  let { lacks, notBefore } = list;
  for (const page of list.pages) {
    signal.throwIfAborted();
    try {
      if (!(await robots.permits(page.url, signal))) {
        forbidden++;
        continue;
      }
      counts.add(await updatePage(parts, documents, page, last !== undefined, signal), page.url);
      failuresInARow = 0;
    } catch (error) {
      if (!(error instanceof FetchFailed)) throw error;
      counts.add({ became: 'failed', detail: error.message }, page.url);
      notBefore ??= error.notBefore;
      // A page that is missing says nothing about the others.
      const isMissing = error.status !== undefined && error.status < 500 && error.status !== 429;
      failuresInARow = isMissing ? 0 : failuresInARow + 1;
      if (error.notBefore || failuresInARow >= maxFailuresInARow) {
        lacks ??= `the server did not send pages: ${error.message}`;
        break;
      }
    }
  }
  const listed = new Set(list.pages.map(({ url }) => documents.idOf(url)));
  const removed = await documents.remove(
    goneFrom(known, listed, { isComplete: lacks === undefined }),
    signal,
  );
  return {
    ...counts.counts,
    found: list.pages.length - forbidden,
    removed,
    problem:
      lacks === undefined
        ? counts.problem
        : { code: 'incomplete-listing', detail: `${lacks}; nothing was removed` },
    isFailure: failuresInARow >= maxFailuresInARow || notBefore !== undefined,
    notBefore,
  };
}

/** Fetches a page unless the sitemap, or its server, says that it is what was stored. */
async function updatePage(
  { fetcher }: FetchingParts,
  documents: SourceDocuments,
  { url, changedAt }: ListedPage,
  hasRun: boolean,
  signal: AbortSignal,
): Promise<Pick<ItemOutcome, 'became'> & { readonly detail?: string }> {
  const externalId = documents.idOf(url);
  const before = await documents.current(externalId);
  if (before?.isUnwanted) return { became: 'unchanged' };
  const storedAt = hasRun && before?.state.status === 'stored' ? before.receivedAt : undefined;
  if (storedAt && changedAt && changedAt < storedAt) return { became: 'unchanged' };
  const lastModified = storedAt?.toUTCString();
  const { notModified, bytes, mediaType, url: from } = await fetcher.fetch({ url, lastModified }, signal);
  if (notModified) return { became: 'unchanged' };
  return receivePage(documents, { externalId, bytes, mediaType, sourceUri: from }, signal);
}

/** What the `robots.txt` of each site permits, read once a run. */
class RobotsOfHosts {
  readonly #fetcher: Fetcher;
  readonly #known = new Map<string, Promise<Robots>>();

  constructor(fetcher: Fetcher) {
    this.#fetcher = fetcher;
  }

  async permits(url: string, signal: AbortSignal): Promise<boolean> {
    const { origin, pathname, search } = new URL(url);
    let robots = this.#known.get(origin);
    if (!robots) this.#known.set(origin, (robots = this.#read(origin, signal)));
    return (await robots).permits(`${pathname}${search}`);
  }

  /** A site without the file permits everything. One whose file cannot be read just now permits nothing (RFC 9309). */
  async #read(origin: string, signal: AbortSignal): Promise<Robots> {
    try {
      const { bytes } = await this.#fetcher.fetch({ url: `${origin}/robots.txt` }, signal);
      return new Robots(new TextDecoder().decode(bytes), 'stratalog');
    } catch (error) {
      const isMissing =
        error instanceof FetchFailed &&
        error.status !== undefined &&
        error.status < 500 &&
        error.status !== 429;
      if (isMissing) return new Robots('', 'stratalog');
      throw error;
    }
  }
}
