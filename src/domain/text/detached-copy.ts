/**
 * The same text in memory of its own. What V8 cuts out of a text, 13 characters or more, stays a view of the whole: who keeps
 * one word keeps all of the text, also of a memory that was erased.
 */
export function detachedCopy(text: string): string {
  return ` ${text}`.slice(1);
}
