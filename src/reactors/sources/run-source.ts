import type { CommandContext } from '../../commands/context.ts';
import { recordRun } from '../../commands/sources/load-sources.ts';
import { isRequested, ownRun, type Source, type SourceRun } from '../../domain/sources/sources.ts';
import type { FolderReader } from '../../ports/folder-reader.ts';
import { failedRun, type RunResult } from './run-counts.ts';
import { runFolder } from './run-folder.ts';
import { runFeed, runPage, type FetchingParts } from './run-single.ts';
import { runSitemap } from './run-sitemap.ts';
import { SourceDocuments } from './source-documents.ts';

export interface RunParts extends FetchingParts {
  readonly folders: FolderReader;
}

export interface RunBefore {
  readonly run: SourceRun | undefined;
  readonly position: number;
}

/**
 * Reads a source once and records what became of it. `seen` is the revision of the tenant's sources that is known. Rejects, and records
 * nothing, for what says nothing about the source, such as a database that is down: the run is repeated, and what it stored is known.
 */
export async function runSource(
  parts: RunParts,
  context: CommandContext,
  source: Source,
  { seen, before }: { readonly seen: number; readonly before: RunBefore },
  signal: AbortSignal,
): Promise<SourceRun> {
  const began = parts.services.clock.now();
  const last = ownRun(source, before.run);
  const result = await runOf(parts, context, source, { ...before, run: last }, signal).catch(failedRun);
  const { problem, isFailure, notBefore, etag, lastModified, ...counts } = result;
  const run: SourceRun = {
    sourceId: source.id,
    at: began.toISOString(),
    seen,
    configured: source.revision,
    ...counts,
    failures: isFailure ? (last?.failures ?? 0) + 1 : 0,
    problem: problem?.code,
    notBefore: notBefore?.toISOString(),
    detail: problem?.detail.slice(0, maxDetail),
    etag,
    lastModified,
  };
  await recordRun(parts.services, context, definedOf(run));
  return run;
}

const maxDetail = 1_000;

function runOf(
  parts: RunParts,
  context: CommandContext,
  source: Source,
  { run, position: minPosition }: RunBefore,
  signal: AbortSignal,
): Promise<RunResult> {
  // Its documents may be of another layer, place or tag since the configuration changed: they are looked at again.
  const last = run?.configured === source.revision ? run : undefined;
  const documents = new SourceDocuments(parts, context, { source, isAsked: isRequested(source, run) });
  switch (source.type) {
    case 'rss':
    case 'arxiv':
      return runFeed(parts, documents, source, last, signal);
    case 'page':
      return runPage(parts, documents, source, last, signal);
    case 'sitemap':
      return runSitemap(parts, documents, source, { last, minPosition }, signal);
    case 'directory':
      return runFolder(parts.folders, documents, source, { last, minPosition }, signal);
  }
}

function definedOf<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as T;
}
