import type { Document, Source } from '@stratalog/client';
import type { Tone } from '../../ui/tone.ts';

export type SkipReason = Document['skipped'][number]['reason'];

export const stateTones: Readonly<Record<Document['state'], Tone>> = {
  queued: 'plain',
  processing: 'accent',
  ready: 'good',
  failed: 'danger',
  deleted: 'warn',
};

/** Whether the state still changes by itself. */
export const isUnderWay = ({ state }: Pick<Document, 'state'>): boolean =>
  state === 'queued' || state === 'processing';

/** What became of the sections, such as `3 of 8 sections`. */
export function progressText({ state, progress, memories }: Document): string {
  if (isUnderWay({ state })) return `${progress.done} of ${progress.total} sections`;
  return `${memories.toLocaleString()} ${memories === 1 ? 'memory' : 'memories'}`;
}

export const skipMeanings: Readonly<Record<SkipReason, string>> = {
  'low-quality': 'below the quality that its space asks for',
  duplicate: 'the space has the text already',
  'not-accepted': 'its space does not accept this type of content, or its metadata',
  refused: 'its space refuses personal data in it, or is full',
  empty: 'there is no text',
};

/** How many sections were skipped, whatever the reason. */
export const skippedOf = ({ skipped }: Pick<Document, 'skipped'>): number =>
  skipped.reduce((sum, { count }) => sum + count, 0);

const sourcePrefix = 'source:';

/** The source that a document came from, by its externalId; undefined if somebody sent it. */
export function sourceIdOf(externalId: string | undefined): string | undefined {
  if (!externalId?.startsWith(sourcePrefix)) return undefined;
  return externalId.slice(sourcePrefix.length).split('/')[0];
}

/** How the externalIds of the documents of a source begin. */
export function prefixOf({ id, type }: Pick<Source, 'id' | 'type'>): string {
  const hasNames = type === 'directory' || type === 'sitemap';
  return `${sourcePrefix}${id}${hasNames ? '/' : ''}`;
}

/** The address if a browser can open it without running anything. */
export const openable = (url: string | undefined): string | undefined =>
  url !== undefined && /^https?:\/\//i.test(url) && URL.canParse(url) ? url : undefined;

/** The parts of a list with commas. */
export const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
