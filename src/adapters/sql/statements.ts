/** Semicolons, and everything that may contain one without ending a statement: strings, quoted names, dollar quotes, comments. */
const parts =
  /--[^\n]*|\/\*|(?<![\w$])[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|(?<![\w$])\$(?<tag>[A-Za-z_]\w*)?\$|;/gsu;

/**
 * Splits a script into statements without semicolons. Sent together they would run as one transaction, in which VACUUM and
 * CREATE INDEX CONCURRENTLY are not allowed.
 */
export function splitStatements(script: string): string[] {
  const statements: string[] = [];
  let start = 0;
  parts.lastIndex = 0;
  for (let match = parts.exec(script); match; match = parts.exec(script)) {
    const [whole] = match;
    if (whole === '/*') parts.lastIndex = commentEnd(script, match.index);
    else if (whole.startsWith('$')) parts.lastIndex = endOf(script, whole, parts.lastIndex);
    else if (whole === ';') {
      statements.push(script.slice(start, match.index));
      start = parts.lastIndex;
    }
  }
  statements.push(script.slice(start));
  return statements.map((text) => text.trim()).filter((text) => text !== '');
}

function endOf(script: string, mark: string, from: number): number {
  const found = script.indexOf(mark, from);
  return found < 0 ? script.length : found + mark.length;
}

/** Index of the end of a block comment. Such comments nest. */
function commentEnd(script: string, from: number): number {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = from;
  let depth = 0;
  for (let match = marks.exec(script); match; match = marks.exec(script)) {
    depth += match[0] === '/*' ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  return script.length;
}

/** Whether a statement may change the columns of a table. */
export function changesTables(statement: string): boolean {
  return /^\s*(create|alter|drop|do)\b/i.test(statement);
}
