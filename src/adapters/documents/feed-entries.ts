import { type Atom, parseFeed, type Rdf, type Rss } from 'feedsmith';
import { Problem } from '../../domain/problems.ts';
import { childAt, descendantsOf, parseXml, textOf, type XmlElement } from './xml.ts';

/** A feed in any format. Its texts are unchanged: HTML, escaped HTML or plain text. */
export interface Feed {
  readonly title?: string | undefined;
  readonly language?: string | undefined;
  readonly updated?: string | undefined;
  readonly link?: string | undefined;
  readonly entries: readonly FeedEntry[];
}

export interface FeedEntry {
  readonly ids: readonly (string | undefined)[];
  readonly title?: string | undefined;
  /** The whole text first, if the feed has it. */
  readonly texts: readonly string[];
  readonly link?: string | undefined;
  readonly at?: string | undefined;
  readonly authors: readonly string[];
  readonly categories: readonly string[];
  readonly doi?: string | undefined;
  /** Such as `new`, `cross` or `replace`, of feeds of preprints. */
  readonly announced?: string | undefined;
}

const feedEnd = /<\/(?:\w+:)?(?:rss|feed|rdf)\s*>|<(?:\w+:)?(?:rss|feed|rdf)\b[^>]*\/>/i;

/** Reads RSS, Atom or RDF. Throws `document-unreadable` for any other XML. */
export function readFeedXml(xml: string): Feed {
  const elements = elementsOfEntries(xml);
  const parsed = parsedFeed(xml);
  // Servers append comments and scripts at times.
  if (!feedEnd.test(xml.slice(-10_000)))
    throw new Problem('document-unreadable', 'the feed is not complete: its end is missing');
  // A feed between two entries has none, and is still a feed.
  if (parsed === undefined) return { entries: [] };
  const feed = parsed.format === 'atom' ? ofAtom(parsed.feed) : ofRss(parsed.feed);
  return { ...feed, entries: feed.entries.map((entry, index) => withExtensions(entry, elements[index])) };
}

type Parsed =
  | { readonly format: 'atom'; readonly feed: Atom.Feed<string> }
  | { readonly format: 'rss'; readonly feed: Rss.Feed<string> | Rdf.Feed<string> };

function parsedFeed(xml: string): Parsed | undefined {
  try {
    const { format, feed } = parseFeed(xml);
    if (format === 'atom') return { format, feed };
    if (format === 'rss' || format === 'rdf') return { format: 'rss', feed };
  } catch (cause) {
    const { name } = parseXml(xml, 'the feed');
    if (!/^(?:rss|feed|RDF)$/i.test(name))
      throw new Problem('document-unreadable', 'it is no feed', { cause });
  }
  return undefined;
}

function ofRss(feed: Rss.Feed<string> | Rdf.Feed<string>): Feed {
  const own = feed as Rss.Feed<string>;
  return {
    title: own.title,
    language: own.language ?? own.dc?.languages?.[0],
    updated: own.lastBuildDate ?? own.pubDate ?? own.dc?.dates?.[0],
    link: own.link,
    entries: (feed.items ?? []).map((each): FeedEntry => {
      const item = each as Rss.Item<string> & Rdf.Item<string>;
      const people = item.authors?.map((author) => authorOf(author.name ?? author.email)) ?? [];
      return {
        ids: [item.guid?.value, item.rdf?.about, item.link],
        title: item.title,
        texts: [item.content?.encoded, item.description, item.atom?.summary?.value].filter(
          (text) => text !== undefined,
        ),
        link: item.link ?? (item.guid?.isPermaLink === false ? undefined : urlOf(item.guid?.value)),
        at: item.pubDate ?? item.dc?.dates?.[0] ?? item.dcterms?.created?.[0],
        authors: people.length > 0 ? people : (item.dc?.creators ?? []),
        categories: (item.categories?.map(({ name }) => name as string) ?? item.dc?.subjects ?? []).filter(
          (name) => name !== '',
        ),
        doi: item.dc?.identifiers?.find((id) => /\b10\.\d{4,}\//.test(id)),
      };
    }),
  };
}

function ofAtom(feed: Atom.Feed<string>): Feed {
  return {
    title: feed.title?.value,
    language: feed.xml?.lang,
    updated: feed.updated,
    link: feed.links?.find(({ rel }) => rel === undefined || rel === 'alternate')?.href,
    entries: (feed.entries ?? []).map((entry): FeedEntry => {
      const links = entry.links ?? [];
      const link = links.find(({ rel }) => rel === undefined || rel === 'alternate') ?? links[0];
      return {
        ids: [entry.id, link?.href],
        title: entry.title?.value,
        texts: [entry.content?.value, entry.summary?.value].filter((text) => text !== undefined),
        link: link?.href,
        // When it was written, and not when somebody corrected a letter of it.
        at: entry.published ?? entry.updated,
        authors: entry.authors?.flatMap(({ name }) => (name === undefined ? [] : [name])) ?? [],
        categories: entry.categories?.map(({ label, term }) => label ?? (term as string)) ?? [],
        doi: entry.arxiv?.doi,
      };
    }),
  };
}

/** RSS has "mail@example.org (Name)". */
function authorOf(written: string | undefined): string {
  return /\(([^)]+)\)/.exec(written ?? '')?.[1] ?? written ?? '';
}

function urlOf(value: string | undefined): string | undefined {
  return value !== undefined && /^https?:\/\//.test(value) ? value : undefined;
}

/** Elements of vocabularies that the parser of feeds does not read in each format. */
function withExtensions(entry: FeedEntry, element: XmlElement | undefined): FeedEntry {
  const first = (name: string): string | undefined => {
    const text = textOf(descendantsOf(element ?? nothing, name)[0]).trim();
    return text === '' ? undefined : text;
  };
  const doi = /\b10\.\d{4,}\/[^\s<>"]+/.exec(entry.doi ?? first('doi') ?? first('DOI') ?? '')?.[0];
  const texts = entry.texts.length > 0 ? entry.texts : [first('description') ?? first('summary') ?? ''];
  return { ...entry, texts, doi, announced: entry.announced ?? first('announce_type') };
}

const nothing: XmlElement = { name: '', attributes: {}, children: [] };

/** In the order of the feed; none if the XML is not well-formed, which the parser of feeds may still read. */
function elementsOfEntries(xml: string): readonly XmlElement[] {
  try {
    const root = parseXml(xml, 'the feed');
    const parent = root.name === 'rss' ? childAt(root, 'channel') : root;
    return (parent?.children ?? [])
      .filter((child) => typeof child !== 'string')
      .filter(({ name }) => name === 'item' || name === 'entry');
  } catch {
    return [];
  }
}
