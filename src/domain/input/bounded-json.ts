import { Problem } from '../problems.ts';

/** Values and names of fields in one text. Half a million fields would take the parser a second, in which nobody is answered. */
const maxValues = 40_000;
/** Lists and objects inside each other. Four million brackets would take it five seconds. */
const maxDepth = 100;
/** A shorter text cannot have too many of either. */
const harmless = maxDepth;

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openList, openObject, closeList, closeObject] = [0x5b, 0x7b, 0x5d, 0x7d];

/**
 * Parses JSON that a caller has sent. `what` names it in the message. Throws `malformed-json` if it is none, or has more parts than any
 * input of this API.
 */
export function parseBoundedJson(text: string, what: string): unknown {
  if (text.length > harmless) assertBounded(text, what);
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem('malformed-json', `${what} is not valid JSON`);
  }
}

/** Counts without parsing. What is no JSON may be counted wrongly, and is refused by the parser. */
function assertBounded(text: string, what: string): void {
  let [values, depth, isText] = [0, 0, false];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (isText) {
      if (unit === backslash) at++;
      else if (unit === quote) isText = false;
    } else if (unit === quote) isText = true;
    else if (unit === comma || unit === colon) values++;
    else if (unit === openList || unit === openObject) {
      values++;
      depth++;
      if (depth > maxDepth)
        throw new Problem('malformed-json', `${what} has lists and objects more than ${maxDepth} deep`);
    } else if (unit === closeList || unit === closeObject) depth--;
    if (values > maxValues)
      throw new Problem(
        'malformed-json',
        `${what} has more than ${maxValues.toLocaleString('en-US')} fields and values`,
      );
  }
}
