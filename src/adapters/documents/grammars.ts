import { createRequire } from 'node:module';
import path from 'node:path';
import { Language, Parser, type Tree } from 'web-tree-sitter';

/**
 * Grammars by language. The package has one for PowerShell as well: V8 optimizes its lexer for 20 seconds, and the next grammar
 * waits for that.
 */
const files: Readonly<Record<string, string>> = {
  typescript: 'typescript',
  tsx: 'tsx',
  javascript: 'javascript',
  python: 'python',
  go: 'go',
  rust: 'rust',
  java: 'java',
  csharp: 'c-sharp',
  c: 'cpp',
  cpp: 'cpp',
  php: 'php',
  ruby: 'ruby',
  bash: 'bash',
};

const grammars = new Map<string, Promise<Language>>();
let started: Promise<void> | undefined;

/**
 * Parses source code and hands the tree over; its nodes are gone afterwards. Offsets are UTF-16 units.
 * `undefined` if the language has no grammar here. Files of the grammars are of the installed package: nothing is downloaded.
 */
export async function withTree<T>(
  source: string,
  language: string,
  read: (tree: Tree) => T,
): Promise<T | undefined> {
  const file = files[language];
  if (file === undefined) return undefined;
  const grammar = await load(file);
  const parser = new Parser();
  try {
    parser.setLanguage(grammar);
    const tree = parser.parse(source);
    if (!tree) return undefined;
    try {
      return read(tree);
    } finally {
      tree.delete();
    }
  } finally {
    parser.delete();
  }
}

async function load(file: string): Promise<Language> {
  started ??= Parser.init();
  await started;
  const folder = path.dirname(createRequire(import.meta.url).resolve('@vscode/tree-sitter-wasm'));
  const loading = grammars.get(file) ?? Language.load(path.join(folder, `tree-sitter-${file}.wasm`));
  grammars.set(file, loading);
  return loading;
}
