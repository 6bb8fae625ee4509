import { readSitemap, type ListedPage } from '../../domain/sources/sitemap.ts';
import { FetchFailed, type Fetcher } from '../../ports/fetcher.ts';

export interface PageList {
  readonly pages: readonly ListedPage[];
  /** Why pages may be missing from the list; undefined if it is complete. */
  readonly lacks?: string | undefined;
  readonly notBefore?: Date | undefined;
}

const maxPages = 5_000;
const maxSitemaps = 500;

/** Reads a sitemap, or those that an index lists. Throws `FetchFailed` if there is none at the address. */
export async function listPages(fetcher: Fetcher, url: string, signal: AbortSignal): Promise<PageList> {
  const first = await fetchSitemap(fetcher, url, signal);
  const pages = new Map<string, ListedPage>();
  let lacks = first.isWhole ? undefined : 'the sitemap has no end';
  let notBefore: Date | undefined;
  const add = (entries: readonly ListedPage[]) => {
    for (const page of entries)
      if (pages.size < maxPages || pages.has(page.url)) pages.set(page.url, page);
      else lacks ??= `only the first ${maxPages} pages are read`;
  };
  if (first.kind === 'pages') add(first.entries);
  else {
    if (first.entries.length > maxSitemaps) lacks ??= `only the first ${maxSitemaps} sitemaps are read`;
    for (const { url: child } of first.entries.slice(0, maxSitemaps)) {
      if (pages.size >= maxPages) {
        lacks ??= `only the first ${maxPages} pages are read`;
        break;
      }
      try {
        const sitemap = await fetchSitemap(fetcher, child, signal);
        if (sitemap.kind === 'sitemaps') lacks ??= 'a sitemap of the index is an index itself';
        else add(sitemap.entries);
        if (!sitemap.isWhole) lacks ??= 'a sitemap of the index has no end';
      } catch (error) {
        if (!(error instanceof FetchFailed)) throw error;
        lacks ??= `a sitemap of the index could not be read: ${error.message}`;
        notBefore ??= error.notBefore;
      }
    }
  }
  return { pages: [...pages.values()], lacks, notBefore };
}

async function fetchSitemap(fetcher: Fetcher, url: string, signal: AbortSignal) {
  const { bytes } = await fetcher.fetch({ url, gunzip: true }, signal);
  const sitemap = readSitemap(new TextDecoder().decode(bytes));
  if (!sitemap) throw new FetchFailed('not-readable', 'the answer is not a sitemap');
  return sitemap;
}
