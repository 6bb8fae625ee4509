import type { Block, DocumentContent } from '../../domain/documents/content.ts';
import type { FileToRead } from '../../ports/document-reader.ts';
import { cutAtBlankLines, dedented, type Piece } from './code-pieces.ts';
import { piecesOfTree } from './code-tree.ts';
import { charsetOfMediaType, decodeText } from './decode.ts';
import { detectFormat, type Format } from './detect.ts';
import { withTree } from './grammars.ts';
import { plainPieces } from './plain-code.ts';
import { sqlStatements } from './sql-statements.ts';

/**
 * Reads source code: one block for each function, class, type or long constant with the comments above it, long classes by member, and
 * blocks for what stands between them. A language without a grammar is cut at empty lines.
 */
export async function readCode(
  file: FileToRead,
  format: Format = detectFormat(file),
): Promise<DocumentContent> {
  const { text, replacements } = decodeText(file.bytes, charsetOfMediaType(file.mediaType));
  const { mediaType, programmingLanguage } = format;
  return {
    mediaType,
    contentType: 'code',
    ...(programmingLanguage !== undefined && { programmingLanguage }),
    blocks: await codeBlocks(text, programmingLanguage),
    replacements,
  };
}

/** The blocks of a source. `language` as fences of Markdown name it. */
export async function codeBlocks(source: string, language?: string): Promise<readonly Block[]> {
  const pieces = await piecesIn(source, language);
  return pieces.flatMap((piece): readonly Block[] => {
    const text = dedented(source, piece);
    if (text.trim() === '') return [];
    return [
      { kind: 'code', text, ...(language && { language }), ...(piece.symbol && { symbol: piece.symbol }) },
    ];
  });
}

async function piecesIn(source: string, language: string | undefined): Promise<readonly Piece[]> {
  if (language === 'sql') return sqlStatements(source);
  const declared = await withTree(source, language ?? '', (tree) => piecesOfTree(source, tree));
  return declared ?? plainPieces(source, language).flatMap((piece) => cutAtBlankLines(source, piece));
}
