import type { DocumentContent } from './content.ts';

/** The same content with texts that every back end can store: without U+0000, and well-formed. */
export function cleanContent(content: DocumentContent): DocumentContent {
  return clean(content) as DocumentContent;
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\u0000', '').toWellFormed();
  if (Array.isArray(value)) return value.map(clean);
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, clean(each)]));
}
