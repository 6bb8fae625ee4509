/** UTF-16 units of a piece, unless there is no place to cut for longer. Its words take about a millisecond. */
const minPiece = 8_192;
/** White space, and the full stop and comma of Chinese and Japanese: no word, number or accent reaches across them. */
const BREAK = /[\s。、]/g;

/**
 * The pieces of a long text, in order: their words are those of the whole text. A text without white space is one piece, however long.
 */
export function* piecesOf(text: string): Generator<string> {
  let start = 0;
  while (text.length - start > minPiece) {
    BREAK.lastIndex = start + minPiece;
    const found = BREAK.exec(text);
    if (!found) break;
    yield text.slice(start, found.index + 1);
    start = found.index + 1;
  }
  yield text.slice(start);
}
