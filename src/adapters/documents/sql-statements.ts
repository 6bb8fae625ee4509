import { MAX_WHOLE, type Piece } from './code-pieces.ts';

/** Strings, quoted names, bodies between dollar signs and comments: a semicolon in one of them ends nothing. */
const token =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|(\$\w*\$)[\s\S]*?\1|--[^\n]*|\/\*[\s\S]*?\*\/|;|\b(?:BEGIN|CASE|END)\b|^[ \t]*(?:GO|\/)[ \t]*$/gim;
const created =
  /^(?:CREATE|ALTER)\s+(?:OR\s+(?:REPLACE|ALTER)\s+)?(?:(?:GLOBAL|LOCAL|TEMP(?:ORARY)?|UNLOGGED|EXTERNAL|VIRTUAL|MATERIALIZED|RECURSIVE|UNIQUE|CLUSTERED|NONCLUSTERED|FULLTEXT|CONSTRAINT|EVENT|FOREIGN|DEFINER\s*=\s*\S+)\s+)*(?:TABLE|VIEW|INDEX|FUNCTION|PROCEDURE|PROC|TRIGGER|TYPE|DOMAIN|SEQUENCE|SCHEMA|POLICY|ROLE|USER|EXTENSION|DATABASE|AGGREGATE|RULE|PACKAGE(?:\s+BODY)?|SYNONYM)\s+(?:CONCURRENTLY\s+)?(?:IF\s+(?:NOT\s+)?EXISTS\s+)?(?:ONLY\s+)?((?:"[^"]+"|`[^`]+`|\[[^\]]+\]|[\w$]+)(?:\.(?:"[^"]+"|`[^`]+`|\[[^\]]+\]|[\w$]+))*)/i;
/** Compound statements have semicolons between BEGIN and END. */
const compound =
  /^CREATE\s+(?:OR\s+(?:REPLACE|ALTER)\s+)?(?:\S+\s+)*?(?:TRIGGER|FUNCTION|PROCEDURE|PROC|PACKAGE|EVENT)\b/i;

/** Characters within which a statement says what it creates, comments above it included. */
const MAX_HEAD = 4000;

/** Statements of SQL with the comments above them; those that create or alter something have its name as their symbol. */
export function sqlStatements(source: string): readonly Piece[] {
  return grouped(
    source,
    spans(source).flatMap((span) => named(source, span)),
  );
}

function spans(source: string): Piece[] {
  const found: Piece[] = [];
  let start = 0;
  let depth = 0;
  for (const { 0: text, index } of source.matchAll(token)) {
    const word = text.trim().toUpperCase();
    const isBatchEnd = word === 'GO' || word === '/';
    if (word === 'BEGIN' || word === 'CASE') {
      if (compound.test(withoutComments(source.slice(start, Math.min(index, start + MAX_HEAD))))) depth += 1;
    } else if (word === 'END') depth = Math.max(0, depth - 1);
    else if (isBatchEnd || (word === ';' && depth === 0)) {
      found.push({ start, end: endAfter(source, index + text.length) });
      start = found.at(-1)?.end ?? start;
      depth = 0;
    }
  }
  if (source.slice(start).trim() !== '') found.push({ start, end: source.length });
  return found;
}

/** Includes a remark on the same line. */
function endAfter(source: string, end: number): number {
  return end + (/^[ \t]*(?:--[^\n]*)?(?=\n|$)/.exec(source.slice(end, end + 1000))?.[0].length ?? 0);
}

/** The statement with its comments, and before it a comment that an empty line parts from it. */
function named(source: string, span: Piece): Piece[] {
  const text = source.slice(span.start, span.end);
  const statement = withoutComments(text);
  const name = created.exec(statement)?.[1];
  const symbol =
    name === undefined ? {} : { symbol: name.split('.').map((part) => part.replaceAll(/["`[\]]/g, '')) };
  if (statement === '') return [{ ...span }];
  const apart = /^(?:\s*(?:--[^\n]*|\/\*[\s\S]*?\*\/))+[ \t]*\n[ \t]*\n/.exec(text)?.[0].length ?? 0;
  const own = { start: span.start + apart, end: span.end, ...symbol };
  return apart > 0 ? [{ start: span.start, end: own.start }, own] : [own];
}

/** Statements without a name that follow each other, such as rows to insert, go together. */
function grouped(source: string, pieces: readonly Piece[]): readonly Piece[] {
  const result: Piece[] = [];
  for (const piece of pieces) {
    const last = result.at(-1);
    const fits = last && !last.symbol && !piece.symbol && piece.end - last.start <= MAX_WHOLE;
    if (fits) result.splice(-1, 1, { start: last.start, end: piece.end });
    else if (!/^\s*(?:GO|\/)?\s*$/i.test(source.slice(piece.start, piece.end))) result.push(piece);
  }
  return result;
}

function withoutComments(text: string): string {
  return text.replaceAll(/--[^\n]*|\/\*[\s\S]*?\*\//g, ' ').trim();
}
