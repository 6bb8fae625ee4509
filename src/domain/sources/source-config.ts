import { z } from 'zod';
import { text } from '../json.ts';
import { identifier, layerSchema, scopeSchema } from '../layers.ts';
import { spacesSchema, tagsSchema } from '../memory/content.ts';
import { invalid } from '../problems.ts';
import { scheduleSchema } from './schedule.ts';

export const sourceTypes = ['rss', 'arxiv', 'page', 'sitemap', 'directory'] as const;
export type SourceType = (typeof sourceTypes)[number];

/** The id of a source, which begins the externalId of its documents. */
export const sourceIdSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'must be 1 to 64 letters, digits, dots, hyphens and underscores, and begin with a letter or digit',
  )
  .meta({ description: 'Letters, digits, dots, hyphens and underscores, at most 64' });

export const sourceFields = {
  type: z.enum(sourceTypes).meta({
    description:
      '`rss`: a feed, RSS or Atom; `arxiv`: the same of arXiv; `page`: one page or file; `sitemap`: the pages that a sitemap lists; `directory`: the files of a folder of the server',
  }),
  url: text(4_096).min(1).optional().meta({ description: 'Address, http or https; not of a directory' }),
  path: text(4_096).min(1).optional().meta({
    description: 'Folder of a directory: an absolute path below one of `STRATALOG_INGEST_ROOTS`',
  }),
  schedule: scheduleSchema,
  layer: layerSchema,
  scope: scopeSchema.extend({ company: identifier.optional() }).default({}),
  spaces: spacesSchema.default([]).meta({
    description: 'Spaces of its documents. If empty, content routing chooses them',
  }),
  tags: tagsSchema.default([]),
  enabled: z.boolean().default(true).meta({
    description: 'Whether its schedule counts; a run can be asked for all the same',
  }),
};

export const sourceConfigSchema = z.strictObject(sourceFields);
export type SourceConfig = z.output<typeof sourceConfigSchema>;

/** Throws unless the source has a location that fits its type. */
export function locationOf({ type, url, path }: Pick<SourceConfig, 'type' | 'url' | 'path'>): string {
  if (type === 'directory') {
    if (url !== undefined) throw invalid('url', 'a directory has a path, and no url');
    if (path === undefined) throw invalid('path', 'is required for a directory');
    return path;
  }
  if (path !== undefined) throw invalid('path', `a source of the type ${type} has a url, and no path`);
  if (url === undefined) throw invalid('url', `is required for a source of the type ${type}`);
  const fault = faultOfUrl(url);
  if (fault !== undefined) throw invalid('url', fault);
  return url;
}

/** Why an address is never fetched; undefined if it may be. */
export function faultOfUrl(url: string): string | undefined {
  if (!URL.canParse(url)) return 'must be a URL';
  const { protocol, username, password } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') return 'must begin with http:// or https://';
  return username === '' && password === '' ? undefined : 'must not contain a user or password';
}
