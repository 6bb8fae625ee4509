import type { Block, DocumentContent } from '../../domain/documents/content.ts';
import type { FileToRead } from '../../ports/document-reader.ts';
import { timestampOf } from './dates.ts';
import { charsetOfMarkup, charsetOfMediaType, decodeText } from './decode.ts';
import { type Feed, type FeedEntry, readFeedXml } from './feed-entries.ts';
import { lineOfFeedText, markdownOfFeedText } from './feed-text.ts';
import { languageOf } from './language.ts';

type Entry = Extract<Block, { kind: 'entry' }>;

const version = /(?:^|[\s/@_(v-])v?\d+\.\d+(?:\.\d+)*(?:[-.]?(?:alpha|beta|rc|pre)[-.]?\d*)?\b|\bv\d+\b/i;
const releaseFeed = /\b(?:releases?|change ?log|release notes|versions)\b/i;
const titleLength = 80;
const mostOf = 0.6;

/** Reads RSS, Atom and RDF. Each entry is a block whose key is the same in later windows of the feed. */
export function readFeed(file: FileToRead): DocumentContent {
  const { text, replacements } = decodeText(
    file.bytes,
    charsetOfMarkup(file.bytes) ?? charsetOfMediaType(file.mediaType),
  );
  const feed = readFeedXml(text);
  const blocks = withUniqueKeys(feed.entries.flatMap(blockOf));
  const title = lineOfFeedText(feed.title ?? '');
  const language =
    languageOf(
      blocks
        .map((block) => `${block.title}\n${block.text}`)
        .join('\n')
        .slice(0, 50_000),
    ) ?? declared(feed);
  const occurredAt = timestampOf(feed.updated);
  return {
    mediaType: /<feed[\s>]/.test(text.slice(0, 2_000)) ? 'application/atom+xml' : 'application/rss+xml',
    contentType: typeOf(feed, title),
    ...(title === '' ? {} : { title }),
    ...(language === undefined ? {} : { language }),
    ...(occurredAt === undefined ? {} : { occurredAt }),
    ...(feed.link === undefined ? {} : { metadata: { url: feed.link } }),
    blocks,
    replacements,
    isFeed: true,
  };
}

function blockOf(entry: FeedEntry): Entry[] {
  const text = textOf(entry);
  const title = lineOfFeedText(entry.title ?? '') || beginOf(text);
  if (title === '') return [];
  const at = timestampOf(entry.at);
  const key = entry.ids.find((id) => id !== undefined && id.trim() !== '')?.trim() ?? title;
  return [
    {
      kind: 'entry',
      key: withoutVersion(key),
      title,
      text: [text, factsOf(entry, text)].filter((part) => part !== '').join('\n\n'),
      ...(at === undefined ? {} : { at }),
      ...(entry.link === undefined ? {} : { uri: entry.link }),
    },
  ];
}

/** The fullest text, after a summary that says something else. */
function textOf(entry: FeedEntry): string {
  const texts = entry.texts.map(markdownOfFeedText).filter((text) => text !== '');
  const fullest = texts.reduce((longest, text) => (text.length > longest.length ? text : longest), '');
  const words = new Set(wordsOf(`${fullest} ${entry.title ?? ''}`));
  const others = texts.filter((text) => {
    const own = wordsOf(text);
    return text !== fullest && own.filter((word) => !words.has(word)).length > own.length * (1 - mostOf);
  });
  return [...others, fullest].filter((text) => text !== '').join('\n\n');
}

/** What readers ask for beside the text, unless it says so itself. */
function factsOf(entry: FeedEntry, text: string): string {
  const facts: readonly (readonly [label: string, value: string | undefined])[] = [
    ['Authors', entry.authors.map(lineOfFeedText).join(', ')],
    ['DOI', entry.doi],
    ['Categories', [...new Set(entry.categories)].join(', ')],
    ['Announce type', entry.announced],
  ];
  return facts
    .filter(
      ([label, value]) => value !== undefined && value !== '' && !new RegExp(`${label}: `, 'i').test(text),
    )
    .map(([label, value]) => `${label}: ${value}`)
    .join('\n');
}

/** A preprint keeps its number when a new version of it replaces the last one. */
function withoutVersion(key: string): string {
  return key.replace(
    /^((?:oai:|https?:\/\/)\S*[:/](?:[a-z-]+(?:\.[A-Z]{2})?\/)?\d{4}\.?\d{3,5})v\d+$/i,
    '$1',
  );
}

/** Feeds of careless programs give all entries the same id. */
function withUniqueKeys(entries: readonly Entry[]): Entry[] {
  const seen = new Set<string>();
  return entries.flatMap((entry) => {
    const key = [entry.key, `${entry.key} ${entry.uri ?? ''}`, `${entry.key} ${entry.title}`].find(
      (each) => !seen.has(each),
    );
    if (key === undefined) return [];
    seen.add(key);
    return [{ ...entry, key }];
  });
}

function typeOf({ entries, link }: Feed, title: string): string {
  const share = (test: (entry: FeedEntry) => boolean): number =>
    entries.filter(test).length / Math.max(1, entries.length);
  const isPaper = ({ doi, announced, texts, ids }: FeedEntry): boolean =>
    doi !== undefined ||
    announced !== undefined ||
    ids.some((id) => /\b(?:arxiv|biorxiv|medrxiv)\b/i.test(id ?? '')) ||
    texts.some((text) => /^\s*(?:<p>)?\s*(?:arXiv:|Abstract\b)/i.test(text));
  if (share(isPaper) >= mostOf) return 'academic_paper';
  const versions = share((entry) => version.test(entry.title ?? ''));
  const isNamed = releaseFeed.test(title) || /\/(?:releases|tags)(?:\.atom)?(?:$|[/?])/.test(link ?? '');
  return versions >= (isNamed ? 0.3 : mostOf) ? 'release_notes' : 'news';
}

function declared({ language }: Feed): string | undefined {
  return /^[a-z]{2,3}(?=-|_|$)/i.exec(language?.trim() ?? '')?.[0]?.toLowerCase();
}

/** Entries of short messages have no title. */
function beginOf(text: string): string {
  const line =
    text
      .split('\n')
      .find((each) => each.trim() !== '')
      ?.trim() ?? '';
  return line.length <= titleLength
    ? line
    : `${line.slice(0, line.lastIndexOf(' ', titleLength) + 1 || titleLength).trim()}…`;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
