import type { JsonObject } from '../json.ts';

/** What a text refers to, or what a memory is: `doi:…`, `arxiv:…`, `url:…` or `id:…` (an externalId). */
export type ReferenceKey = `${'doi' | 'arxiv' | 'url' | 'id'}:${string}`;

/** Of one memory, no more references than this are followed, and of its text only so much is read, in UTF-16 units. */
const maxReferences = 200;
const maxRead = 200_000;

const url = /\bhttps?:\/\/[^\s<>"'`|\\^{}]{1,2000}/gi;
const doi = /\b10\.\d{4,9}\/[^\s<>"'`|\\^{}]{1,300}/g;
const arxiv = /\barxiv:\s?((?:\d{4}\.\d{4,5}|[a-z-]{2,20}\/\d{7}))(?:v\d{1,3})?\b/gi;
const arxivPath =
  /^arxiv\.org\/(?:abs|pdf|html)\/((?:\d{4}\.\d{4,5}|[a-z-]{2,20}\/\d{7}))(?:v\d{1,3})?(?:\.pdf)?$/i;
const doiPath = /^(?:dx\.)?doi\.org\/(10\.\d{4,9}\/.+)$/i;
/** Words that look like the id of something: with a digit, and a letter or a sign between them. `3.5` and `2026` are numbers. */
const idWord =
  /(?<![\p{L}\p{N}_./:@-])(?=[\p{L}\p{N}_./:#-]*\p{N})(?=[\p{L}\p{N}_./:#-]*\p{L})[\p{L}\p{N}][\p{L}\p{N}_./:#-]{2,99}/gu;

/** Metadata fields that say what a memory is. */
const identifyingFields = ['doi', 'arxiv_id', 'url', 'source_url', 'uri'] as const;

/** What the text refers to, each once, in the order of the text. */
export function referencesIn(text: string): readonly ReferenceKey[] {
  const read = text.slice(0, maxRead);
  const found = new Set<ReferenceKey>();
  const withoutUrls = read.replaceAll(url, (address) => {
    found.add(keyOfUrl(withoutTail(address)));
    return ' ';
  });
  for (const [match] of withoutUrls.matchAll(doi)) found.add(keyOfDoi(withoutTail(match)));
  for (const [, id] of withoutUrls.matchAll(arxiv)) found.add(keyOfArxiv(id!));
  const rest = withoutUrls.replaceAll(doi, ' ').replaceAll(arxiv, ' ');
  for (const [word] of rest.matchAll(idWord)) found.add(`id:${withoutTail(word)}`);
  return [...found].slice(0, maxReferences);
}

/** What other texts call this memory: its externalId, and what its metadata say of where it is from. */
export function identitiesOf({
  externalId,
  metadata,
}: {
  readonly externalId?: string | undefined;
  readonly metadata: JsonObject;
}): readonly ReferenceKey[] {
  const found = new Set<ReferenceKey>();
  if (externalId !== undefined) {
    found.add(`id:${externalId}`);
    const key = keyOf(externalId);
    if (key) found.add(key);
  }
  for (const field of identifyingFields) {
    const value = metadata[field];
    const key = typeof value === 'string' && value.length <= 2_000 ? keyOf(value.trim(), field) : undefined;
    if (key) found.add(key);
  }
  return [...found];
}

/** Reads the value of a field that identifies something. */
function keyOf(value: string, field?: (typeof identifyingFields)[number]): ReferenceKey | undefined {
  if (/^https?:\/\/\S+$/i.test(value)) return keyOfUrl(value);
  const [own] = /^10\.\d{4,9}\/\S+$/.exec(value.replace(/^doi:\s?/i, '')) ?? [];
  if (own !== undefined) return keyOfDoi(own);
  const text = field === 'arxiv_id' && !/^arxiv:/i.test(value) ? `arxiv:${value}` : value;
  const [match, id] = new RegExp(arxiv, 'i').exec(text) ?? [];
  return match === text ? keyOfArxiv(id!) : undefined;
}

function keyOfUrl(address: string): ReferenceKey {
  const place = address
    .replace(/^https?:\/\/(?:www\.)?/i, '')
    .replace(/#.*$/, '')
    .replace(/\/$/, '');
  const [, ofArxiv] = arxivPath.exec(place) ?? [];
  if (ofArxiv !== undefined) return keyOfArxiv(ofArxiv);
  const [, ofDoi] = doiPath.exec(place) ?? [];
  if (ofDoi !== undefined) return keyOfDoi(ofDoi);
  const [host] = place.split(/[/?]/, 1);
  return `url:${host!.toLowerCase()}${place.slice(host!.length)}`;
}

/** DOIs ignore case (ISO 26324). */
function keyOfDoi(text: string): ReferenceKey {
  return `doi:${text.toLowerCase()}`;
}

/** Without the version: a reference to any version is one to the paper. */
function keyOfArxiv(id: string): ReferenceKey {
  return `arxiv:${id.toLowerCase()}`;
}

/** Removes what belongs to the sentence, such as a full stop, or a bracket that was not opened inside. */
function withoutTail(match: string): string {
  for (let end = match.length; end > 0; end--) {
    const last = match[end - 1]!;
    const isBracket = last === ')' || last === ']';
    const opened = last === ')' ? '(' : '[';
    const inside = match.slice(0, end);
    if (isBracket ? inside.split(last).length <= inside.split(opened).length : !/[.,;:!?*_/#-]/.test(last))
      return inside;
  }
  return match;
}
