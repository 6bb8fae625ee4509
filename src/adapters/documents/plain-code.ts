import { MAX_WHOLE, type Piece } from './code-pieces.ts';

/** A declaration at the start of a line in the languages that have no grammar here. */
const declaration =
  /^(?:(?:export|public|private|protected|internal|open|final|abstract|sealed|data|inline|suspend|override|static|async|local|pub|partial|shared|@[\w.]+(?:\([^)]*\))?)\s+)*(?:fun|func|fn|def|defp|defmodule|class|object|interface|struct|enum|trait|protocol|extension|actor|impl|type|typedef|function|sub|procedure|module|namespace|filter|message|service|record|union|mixin|macro|resource|data|variable|output|FROM)\s+(?:<[^>]*>\s*)?"?([\p{L}_$][\p{L}\p{N}_$.:-]*)/u;
/** A key of YAML, a table of TOML or INI, a target of a makefile. */
const key = /^\[{1,2}([^\]\n]+)\]{1,2}\s*$|^([\w.-]+):(?:\s|$)/;
const comment = /^(?:\/\/|#(?!\[)|--|;|%|\/?\*|"""|\(\*|<!--)/;

/**
 * Cuts a source where a line without indentation follows an empty one or declares something. Short parts without a name go together.
 */
export function plainPieces(source: string, language: string | undefined): readonly Piece[] {
  const isData = language !== undefined && ['yaml', 'toml', 'ini', 'makefile'].includes(language);
  const starts = startsIn(source, isData);
  const pieces: Piece[] = [];
  for (const [at, start] of starts.entries()) {
    const end = starts[at + 1] ?? source.length;
    const name = nameIn(source.slice(start, end), isData);
    const piece = { start, end, ...(name !== undefined && { symbol: [name] }) };
    const last = pieces.at(-1);
    const fits = last && !last.symbol && !name && end - last.start <= MAX_WHOLE;
    if (fits) pieces.splice(-1, 1, { start: last.start, end });
    else if (source.slice(start, end).trim() !== '') pieces.push(piece);
  }
  return pieces;
}

/** Offsets of the first line of each part. Comments and attributes above a declaration belong to it. */
function startsIn(source: string, isData: boolean): readonly number[] {
  const starts = [0];
  let [offset, isAfterBlank] = [0, false];
  let above: number | undefined;
  for (const line of source.split('\n')) {
    const isOuter = /^[^\s)}\]]/.test(line);
    const isRemark = isOuter && (comment.test(line) || /^[@[]/.test(line)) && !isData;
    const declares = isOuter && !isData && declaration.test(line);
    if (isOuter && (isAfterBlank || declares)) starts.push(declares ? (above ?? offset) : offset);
    if (!isRemark) above = undefined;
    else above ??= offset;
    isAfterBlank = line.trim() === '';
    offset += line.length + 1;
  }
  return [...new Set(starts)].sort((a, b) => a - b);
}

/** The name of what the first line that is no comment declares. */
function nameIn(text: string, isData: boolean): string | undefined {
  const line = text.split('\n').find((each) => each.trim() !== '' && !comment.test(each)) ?? '';
  const found = isData ? key.exec(line) : declaration.exec(line);
  return (found?.[1] ?? found?.[2])?.replace(/:$/, '');
}
