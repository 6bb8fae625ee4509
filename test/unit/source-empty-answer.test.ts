import { expect, it } from 'vitest';
import type { Source } from '../../src/domain/sources/sources.ts';
import { runPage, type FetchingParts } from '../../src/reactors/sources/run-single.ts';
import { runSitemap } from '../../src/reactors/sources/run-sitemap.ts';
import type { SourceDocuments } from '../../src/reactors/sources/source-documents.ts';

const never = new AbortController().signal;

/** A site whose pages are `pages`, with a sitemap of them. */
function siteOf(pages: Readonly<Record<string, string>>): FetchingParts {
  const urls = Object.keys(pages).map((path) => `<url><loc>https://a.example${path}</loc></url>`);
  const files: Readonly<Record<string, string>> = {
    ...pages,
    '/robots.txt': '',
    '/sitemap.xml': `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('')}</urlset>`,
  };
  const fetch = async ({ url }: { readonly url: string }) => ({
    status: 200,
    notModified: false,
    bytes: Buffer.from(files[new URL(url).pathname]!),
    mediaType: 'text/html',
    etag: undefined,
    lastModified: undefined,
    url,
  });
  return { fetcher: { fetch } } as unknown as FetchingParts;
}

/** Documents of a source that keep which of them were stored. */
function documentsOf(stored: string[]): SourceDocuments {
  return {
    idOf: (url: string) => url,
    known: async () => [],
    current: async () => undefined,
    remove: async () => 0,
    receive: async ({ externalId }: { readonly externalId: string }) => {
      stored.push(externalId);
      return { became: 'new' };
    },
  } as unknown as SourceDocuments;
}

it('a page without a byte is a failure, and what was stored of it stays', async () => {
  const stored: string[] = [];
  const source = { location: 'https://a.example/' } as Source;
  const run = await runPage(siteOf({ '/': '' }), documentsOf(stored), source, undefined, never);
  expect(run).toMatchObject({
    failed: 1,
    isFailure: true,
    problem: { code: 'not-stored', detail: 'the answer is empty' },
  });
  expect(stored).toEqual([]);
});

it('a page of a sitemap without a byte is a failure, and the others are stored', async () => {
  const stored: string[] = [];
  const site = siteOf({ '/one': '', '/two': '<p>Two</p>' });
  const source = { location: 'https://a.example/sitemap.xml' } as Source;
  const run = await runSitemap(site, documentsOf(stored), source, { last: undefined, minPosition: 0 }, never);
  expect(run).toMatchObject({ found: 2, new: 1, failed: 1, problem: { code: 'not-stored' } });
  expect(stored).toEqual(['https://a.example/two']);
});
