import { hash } from 'node:crypto';
import type { DocumentContent } from '../../domain/documents/content.ts';
import type { DocumentState } from '../../domain/documents/document.ts';
import { Problem } from '../../domain/problems.ts';
import type { Source, SourceRun } from '../../domain/sources/sources.ts';
import type { Fetched, Fetcher } from '../../ports/fetcher.ts';
import { nothingDone, type RunResult } from './run-counts.ts';
import type { ItemOutcome, ReceivedItem, SourceDocuments, SourceParts } from './source-documents.ts';

/** arXiv asks for three seconds between requests. */
const arxivPauseMs = 3_000;

export interface FetchingParts extends SourceParts {
  readonly fetcher: Fetcher;
}

/** Reads a page, which is one document. `last` is a run with the same configuration. */
export async function runPage(
  parts: FetchingParts,
  documents: SourceDocuments,
  { location }: Source,
  last: SourceRun | undefined,
  signal: AbortSignal,
): Promise<RunResult> {
  const externalId = documents.idOf(location);
  const fetched = await fetchAgain(parts.fetcher, { url: location }, last, signal);
  const validators = validatorsOf(fetched, last);
  if (fetched.notModified) return { ...nothingDone, ...validators, found: 1, unchanged: 1, isFailure: false };
  const { bytes, mediaType, url } = fetched;
  const page = { externalId, bytes, mediaType, sourceUri: url };
  const outcome = await receivePage(documents, page, signal);
  if (outcome.became !== 'failed')
    return { ...nothingDone, ...validators, found: 1, [outcome.became]: 1, isFailure: false };
  return {
    ...nothingDone,
    found: 1,
    failed: 1,
    problem: { code: 'not-stored', detail: outcome.detail },
    isFailure: true,
  };
}

/** Stores a page that was fetched. One without a character is a fault of its server: what was stored before stays. */
export async function receivePage(
  documents: SourceDocuments,
  page: ReceivedItem,
  signal: AbortSignal,
): Promise<ItemOutcome> {
  if (isBlank(page.bytes)) return { became: 'failed', detail: 'the answer is empty' };
  return documents.receive(page, signal);
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d));
}

/** Reads a feed, which is one document whose sections are the entries. Those that leave the feed stay. */
export async function runFeed(
  parts: FetchingParts,
  documents: SourceDocuments,
  { type, location }: Source,
  last: SourceRun | undefined,
  signal: AbortSignal,
): Promise<RunResult> {
  const pauseMs = type === 'arxiv' ? arxivPauseMs : undefined;
  const externalId = documents.idOf();
  const fetched = await fetchAgain(parts.fetcher, { url: location, pauseMs }, last, signal);
  const validators = validatorsOf(fetched, last);
  const { found = 0 } = last ?? {};
  if (fetched.notModified)
    return { ...nothingDone, ...validators, found, unchanged: found, isFailure: false };
  const { bytes, mediaType, url } = fetched;
  const before = await documents.current(externalId);
  const isSame =
    !before?.state.problem &&
    last !== undefined &&
    before?.state.good?.sha256 === hash('sha256', bytes, 'hex');
  const content = isSame ? undefined : await readFeed(parts, { bytes, mediaType }, signal);
  if (content instanceof Problem) return failedFeed('not-readable', content.message);
  const entries = content ? new Set(keysOf(content)).size : found;
  if (content && !content.isFeed) return failedFeed('not-readable', 'the answer is not a feed');
  if (entries === 0 && (before?.state.sections.size ?? 0) > 0)
    return failedFeed('empty-listing', 'the feed has no entries any more');
  const reader = content ? { read: () => Promise.resolve(content) } : parts.reader;
  const outcome = await documents.receive({ externalId, bytes, mediaType, sourceUri: url }, signal, reader);
  if (outcome.became === 'failed') return failedFeed('not-stored', outcome.detail);
  const counted = outcome.became === 'unchanged' ? { new: 0, changed: 0 } : entriesOf(outcome.state);
  const unchanged = Math.max(0, entries - counted.new - counted.changed);
  return { ...nothingDone, ...validators, found: entries, ...counted, unchanged, isFailure: false };
}

async function readFeed(
  { reader }: FetchingParts,
  file: Pick<Fetched, 'bytes' | 'mediaType'>,
  signal: AbortSignal,
): Promise<DocumentContent | Problem> {
  try {
    return await reader.read(file, { signal });
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return error;
    throw error;
  }
}

function failedFeed(code: 'not-readable' | 'empty-listing' | 'not-stored', detail: string): RunResult {
  return { ...nothingDone, problem: { code, detail }, isFailure: true };
}

/** Fetches what may not have changed since the last run. */
function fetchAgain(
  fetcher: Fetcher,
  request: Parameters<Fetcher['fetch']>[0],
  last: SourceRun | undefined,
  signal: AbortSignal,
): Promise<Fetched> {
  const { etag, lastModified } = last ?? {};
  return fetcher.fetch({ ...request, etag, lastModified }, signal);
}

function validatorsOf(
  { notModified, etag, lastModified }: Fetched,
  last: SourceRun | undefined,
): Pick<RunResult, 'etag' | 'lastModified'> {
  if (!notModified) return { etag, lastModified };
  return { etag: etag ?? last?.etag, lastModified: lastModified ?? last?.lastModified };
}

function keysOf({ blocks }: DocumentContent): string[] {
  return blocks.flatMap((block) => (block.kind === 'entry' ? [block.key] : []));
}

/** The entries that the last revision of a feed added and changed. A long entry has several sections. */
function entriesOf({ sections, revision }: DocumentState): Pick<RunResult, 'new' | 'changed'> {
  const [added, changed, others] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const { key = '', action, revision: own } of sections.values()) {
    const isOfThis = own === revision;
    if (isOfThis && action === 'add') added.add(key);
    else if (isOfThis && (action === 'change' || action === 'restore')) changed.add(key);
    else others.add(key);
  }
  for (const key of added)
    if (changed.has(key) || others.has(key)) {
      added.delete(key);
      changed.add(key);
    }
  return { new: added.size, changed: changed.size };
}
