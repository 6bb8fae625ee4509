import { parse } from 'yaml';
import { parseInstant } from '../../domain/instant.ts';

/** What the properties at the start of a Markdown file say of it. */
export interface FrontMatter {
  readonly title?: string;
  readonly contentType?: string;
  readonly language?: string;
  readonly occurredAt?: string;
  readonly tags?: readonly string[];
  /** All properties as JSON. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

const none: FrontMatter = { metadata: {} };
/** Fields of the time of writing, in the order in which they count. */
const times = [
  'date',
  'published',
  'publishDate',
  'published_at',
  'created',
  'created_at',
  'updated',
  'modified',
];
const TYPE = /^[a-z][a-z0-9]*(?:[ _-][a-z0-9]+){0,3}$/i;
/** Fields of tags. A text has several between commas, in the first two also between spaces, as vaults of notes write them. */
const tagFields = [
  ['tags', /[,\s]+/],
  ['tag', /[,\s]+/],
  ['keywords', /,/],
] as const;
const mostTags = 50;
const longestTag = 100;
const LANGUAGE = /^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/;

/** Reads YAML. Properties that are not well-formed count as none: a slip in them is no reason to refuse the text. */
export function readYaml(source: string): FrontMatter {
  try {
    // Through JSON, so that nothing is left in it that JSON does not know: dates, infinities, circular anchors.
    const value: unknown = JSON.parse(JSON.stringify(parse(source)));
    return isRecord(value) ? understood(value) : none;
  } catch {
    return none;
  }
}

/** Reads those lines of TOML that assign a text, a number, a boolean, a time or a list of them. Tables are left out. */
export function readToml(source: string): FrontMatter {
  const [top = ''] = source.split(/^\[/m, 1);
  const properties: Record<string, unknown> = {};
  for (const [, key = '', written = ''] of top.matchAll(/^\s*"?([\w-]+)"?\s*=\s*(.+?)\s*$/gm)) {
    const value = tomlValue(written);
    if (value !== undefined) properties[key] = value;
  }
  return understood(properties);
}

function tomlValue(written: string): unknown {
  const literal = /^'([^']*)'$/.exec(written)?.[1];
  if (literal !== undefined) return literal;
  if (/^\d{4}-\d\d-\d\d([T ]\S+)?$/.test(written)) return written.replace(' ', 'T');
  try {
    return JSON.parse(written) as unknown;
  } catch {
    return undefined;
  }
}

function understood(metadata: Readonly<Record<string, unknown>>): FrontMatter {
  const title = textOf(metadata['title']);
  const contentType = [metadata['contentType'], metadata['content_type'], metadata['type']]
    .map(textOf)
    .find((type) => type !== undefined && TYPE.test(type));
  const language = [metadata['lang'], metadata['language']]
    .map(textOf)
    .find((code) => LANGUAGE.test(code ?? ''));
  const occurredAt = times.map((name) => instantOf(metadata[name])).find((time) => time !== undefined);
  const tags = tagsOf(metadata);
  return {
    ...(title !== undefined && { title }),
    ...(tags.length > 0 && { tags }),
    ...(contentType !== undefined && { contentType: contentType.toLowerCase().replaceAll(/[ -]/g, '_') }),
    ...(language !== undefined && { language }),
    ...(occurredAt !== undefined && { occurredAt }),
    metadata,
  };
}

/** Each tag once, without the mark that it has within a text. */
function tagsOf(metadata: Readonly<Record<string, unknown>>): readonly string[] {
  const written = tagFields.flatMap(([name, between]) => {
    const value = metadata[name];
    if (Array.isArray(value))
      return value.filter((tag) => typeof tag === 'string' || typeof tag === 'number').map(String);
    return textOf(value)?.split(between) ?? [];
  });
  const tags = written.map((tag) => tag.trim().replace(/^#+/, ''));
  return [...new Set(tags)].filter((tag) => tag !== '' && tag.length <= longestTag).slice(0, mostTags);
}

/** A day, a time with an offset, or one without, which counts as UTC. */
function instantOf(value: unknown): string | undefined {
  const written = textOf(value)
    ?.replace(/^(\d{4}-\d\d-\d\d) (?=\d)/, '$1T')
    .replace(/ (?=[+-]\d)/, '');
  if (written === undefined) return undefined;
  const zoned = /T\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(written) ? `${written}Z` : written;
  return parseInstant(zoned.replace(/T(\d\d:\d\d)(?=Z|[+-])/, 'T$1:00'))?.toISOString();
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
