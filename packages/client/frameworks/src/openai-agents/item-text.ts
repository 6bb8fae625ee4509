import { isBlank, partsOf, storableText } from '../storable-text.ts';

/** Of a longer text only the beginning is searched; the item is kept whole. */
const longestText = 50_000;

/** What is searched of an item: what was said, a call with its arguments, or the result of one. */
export function itemText(item: object): string {
  const { type, name, arguments: given, content, output, rawContent } = item as Record<string, unknown>;
  const kind = typeof type === 'string' ? type : 'message';
  const call = typeof name === 'string' && given !== undefined ? `${name}(${textOf(given)})` : '';
  const said = [content, rawContent, output].map(textOf).filter((text) => !isBlank(text));
  const whole = call || said.join('\n') || `[${kind}]`;
  return partsOf(storableText(whole), longestText)[0]!;
}

/** Texts at any depth; anything else, such as an image, by its type. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textOf).join('\n');
  if (typeof value !== 'object' || value === null) return '';
  const part = value as Record<string, unknown>;
  for (const field of ['text', 'transcript', 'refusal'])
    if (typeof part[field] === 'string') return part[field];
  return typeof part['type'] === 'string' ? `[${part['type']}]` : JSON.stringify(value);
}
