/** Thinking models end their reasoning with one of these. The opening tag may be missing: some chat templates print it in the prompt. */
const endOfThoughts = /<\/think(?:ing)?>/gi;
const openThoughts = /^\s*<think(?:ing)?>/i;
const fence = /```[a-z]*\s*\n([\s\S]*?)```/gi;

/** Maximum number of braces that are tried as the beginning of an object, because each may take a pass over the text. */
const maxBeginnings = 200;

/** What a model wrote after its reasoning; empty if it is still reasoning at the end of the text. */
export function withoutThoughts(text: string): string {
  const end = [...text.matchAll(endOfThoughts)].at(-1);
  if (end) return text.slice(end.index + end[0].length);
  return openThoughts.test(text) ? '' : text;
}

/**
 * The JSON values that an answer may mean, the most likely first: the whole text, then its code fences, then the objects in it. Later
 * fences and objects come before earlier ones, because models write drafts first. A list of one object is returned as that object.
 */
export function jsonCandidates(text: string): readonly unknown[] {
  // A text that is JSON as a whole has no reasoning: a tag in it belongs to one of its values.
  const whole = parse(text);
  if (whole !== undefined) return [unwrapped(whole)];
  const answer = withoutThoughts(text);
  const fenced = [...answer.matchAll(fence)].map(([, content = '']) => parse(content)).reverse();
  return [parse(answer), ...fenced, ...objectsIn(answer).reverse()]
    .filter((value) => value !== undefined)
    .map(unwrapped);
}

/** The outermost objects in a text, in order. */
function objectsIn(text: string): unknown[] {
  const found: unknown[] = [];
  let from = text.indexOf('{');
  for (let tries = 0; from >= 0 && tries < maxBeginnings; tries++) {
    const end = endOfObject(text, from);
    const value = end === undefined ? undefined : parse(text.slice(from, end));
    if (value !== undefined) found.push(value);
    from = text.indexOf('{', value === undefined ? from + 1 : end);
  }
  return found;
}

/** Index after the brace that closes the one at `from`; undefined if none does. */
function endOfObject(text: string, from: number): number | undefined {
  let depth = 0;
  let isInString = false;
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (isInString) {
      if (character === '\\') at++;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === '{') depth++;
    else if (character === '}' && --depth === 0) return at + 1;
  }
  return undefined;
}

function unwrapped(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? (value[0] as unknown) : value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
