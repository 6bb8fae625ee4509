import type { Node, Tree } from 'web-tree-sitter';
import { MAX_WHOLE, type Piece, withGaps } from './code-pieces.ts';
import { type Declaration, declarationOf } from './code-symbols.ts';

/** Nodes that only group others: include guards and `extern "C"`. */
const transparent =
  /^(?:preproc_(?:if|ifdef|else|elif)|linkage_specification|declaration_list|compilation_unit)$/;
/** Comments, decorators and modifiers that precede a declaration. */
const leading = /comment|^(?:decorator|attribute_item|inner_attribute_item|attribute_list|annotation)$/;

const SHORT_OPENING = 200;

/** Cuts a source by what it declares, in order and without loss. */
export function piecesOfTree(source: string, tree: Tree): readonly Piece[] {
  const whole = { start: 0, end: source.length };
  return withGaps(source, whole, declaredIn(source, tree.rootNode, []));
}

function declaredIn(source: string, parent: Node, outer: readonly string[]): readonly Piece[] {
  const children = childrenOf(parent);
  return children.flatMap((node, at) => {
    const declaration = declarationOf(node);
    if (!declaration) return [];
    const start = startWithComments(source, children, at);
    return piecesOf(source, { start, end: endOfLine(source, node, children[at + 1]) }, declaration, outer);
  });
}

function childrenOf(parent: Node): readonly Node[] {
  return parent.namedChildren
    .filter((child) => child !== null)
    .flatMap((child) => (transparent.test(child.type) ? childrenOf(child) : [child]));
}

/** One part for a declaration, or one for each member and one for the rest if it is too long. */
function piecesOf(
  source: string,
  span: Piece,
  { names, holds }: Declaration,
  outer: readonly string[],
): readonly Piece[] {
  const symbol = [...outer, ...names];
  const whole = { ...span, symbol };
  if (!holds || (!holds.always && span.end - span.start <= MAX_WHOLE)) return [whole];
  const members = declaredIn(source, holds.body, symbol);
  const [first, ...rest] = members;
  if (!first) return [whole];
  // The line that opens a namespace says nothing alone.
  const opensShortly = holds.always && first.start - whole.start <= SHORT_OPENING;
  return withGaps(source, whole, opensShortly ? [{ ...first, start: whole.start }, ...rest] : members);
}

/** Comments and decorators above a declaration, as long as no empty line is between them. */
function startWithComments(source: string, siblings: readonly Node[], at: number): number {
  let start = siblings[at]?.startIndex ?? 0;
  for (let before = at - 1; before >= 0; before -= 1) {
    const node = siblings[before];
    if (!node || !leading.test(node.type) || /\n\s*\n/.test(source.slice(node.endIndex, start))) break;
    // A comment that ends the line of something else belongs to that. Some comments end after their line break.
    const previous = siblings[before - 1];
    if (previous && !source.slice(previous.endIndex - 1, node.startIndex).includes('\n')) break;
    start = node.startIndex;
  }
  return start;
}

/** The end of the line, if nothing else starts on it but a remark. */
function endOfLine(source: string, node: Node, next: Node | undefined): number {
  const lineEnd = source.indexOf('\n', node.endIndex);
  const end = lineEnd === -1 ? source.length : lineEnd;
  const rest = source.slice(node.endIndex, end);
  const isFree = !next || next.startIndex >= end || leading.test(next.type);
  return isFree && /^[\s;,)]*(?:\/\/.*|#.*|\/\*.*\*\/\s*)?$/.test(rest) ? end : node.endIndex;
}
