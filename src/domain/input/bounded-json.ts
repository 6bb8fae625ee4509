import { Problem } from '../problems.ts';

/**
 * What one text may have. Parsing and checking take milliseconds for a thousand fields of different names, or for ten thousand values, and
 * meanwhile nobody else is answered: half a million fields would take a second, four million brackets five.
 */
const maxFields = 50_000;
const maxDepth = 50_000;
/** Of lists and objects. Plain values take little. */
const maxValues = 250_000;
/** A shorter text cannot have too many of any. */
const harmless = maxFields;

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
  let [fields, values, depth, isText] = [0, 0, 0, false];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (isText) {
      if (unit === backslash) at++;
      else if (unit === quote) isText = false;
    } else if (unit === quote) isText = true;
    else if (unit === colon) {
      if (++fields > maxFields) throw tooMany(what, maxFields, 'fields');
    } else if (unit === comma) {
      if (++values > maxValues) throw tooMany(what, maxValues, 'values');
    } else if (unit === openList || unit === openObject) {
      if (++depth > maxDepth) throw tooMany(what, maxDepth, 'lists and objects inside each other');
    } else if (unit === closeList || unit === closeObject) depth--;
  }
}

function tooMany(what: string, most: number, parts: string): Problem {
  return new Problem('malformed-json', `${what} has more than ${most.toLocaleString('en-US')} ${parts}`);
}
