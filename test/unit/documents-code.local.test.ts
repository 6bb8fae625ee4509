import { describe, expect, it } from 'vitest';
import { codeBlocks, readCode } from '../../src/adapters/documents/code.ts';

/** The symbols of the blocks with their first lines. */
async function outline(source: string, language: string): Promise<string[]> {
  const blocks = await codeBlocks(source, language);
  return blocks.map((block) => {
    if (block.kind !== 'code') throw new Error(`a block of kind ${block.kind}`);
    return `${block.symbol?.join('.') ?? '-'}: ${block.text.split('\n')[0]}`;
  });
}

describe('source code', () => {
  it('is cut by what it declares, with comments, decorators and exports', async () => {
    const source = `import x from 'x';\n\nconst A = 1;\n/** Adds. */\nexport const add = (a: number) => a;\n\n// Of a list.\n@sealed\nexport class Box {\n  get() {}\n}\nexport default 1;\n`;
    expect(await outline(source, 'typescript')).toEqual([
      "-: import x from 'x';",
      'add: /** Adds. */',
      'Box: // Of a list.',
      'default: export default 1;',
    ]);
  });

  it('has long classes by member, without their indentation', async () => {
    const body = '    return 1;\n'.repeat(200);
    const source = `/** A store. */\nclass Store {\n  #size = 0;\n\n  /** Reads. */\n  get() {\n${body}  }\n\n  put() {}\n}\n`;
    expect(await outline(source, 'javascript')).toEqual([
      'Store: /** A store. */',
      'Store.get: /** Reads. */',
      'Store.put: put() {}',
    ]);
  });

  it.each([
    [
      'python',
      '"""Doc."""\nimport os\n\n@cache\ndef f(a):\n    return a\n\nclass C:\n    x = 1\n',
      ['-: """Doc."""', 'f: @cache', 'C: class C:'],
    ],
    [
      'go',
      'package a\n\n// Get reads.\nfunc (s *Store) Get() int { return 1 }\n\ntype Kind int\n',
      ['-: package a', 'Store.Get: // Get reads.', 'Kind: type Kind int'],
    ],
    [
      'rust',
      'use a;\n/// P.\n#[derive(Debug)]\nstruct P;\nimpl fmt::Display for P { fn f() {} }\nmod m {\n fn g() {}\n}\n',
      ['-: use a;', 'P: /// P.', 'P: impl fmt::Display for P { fn f() {} }', 'm.g: mod m {'],
    ],
    [
      'java',
      'package a;\n/** D. */\npublic class L { int x; }\nrecord P(int a) {}\n',
      ['-: package a;', 'L: /** D. */', 'P: record P(int a) {}'],
    ],
    [
      'csharp',
      'using System;\nnamespace A.B\n{\n    class C { }\n    enum D { E }\n}\n',
      ['-: using System;', 'A.B.C: namespace A.B', 'A.B.D: enum D { E }'],
    ],
    [
      'cpp',
      '#ifndef A\nint *Foo::bar(char **x) { return 0; }\ntemplate <typename T> class Q { T t; };\n#endif\n',
      [
        '-: #ifndef A',
        'Foo.bar: int *Foo::bar(char **x) { return 0; }',
        'Q: template <typename T> class Q { T t; };',
      ],
    ],
    [
      'php',
      '<?php\nnamespace A;\nfinal class M { }\nfunction h() { return 1; }\n',
      ['-: <?php', 'M: final class M { }', 'h: function h() { return 1; }'],
    ],
    [
      'ruby',
      "require 'x'\nmodule B\n  # I.\n  class I\n  end\n  def self.run; end\nend\n",
      ["-: require 'x'", 'B.I: module B', 'B.run: def self.run; end'],
    ],
    [
      'bash',
      'set -e\n# Backs up.\nbackup() {\n  tar x\n}\nbackup\n',
      ['-: set -e', 'backup: # Backs up.', '-: backup'],
    ],
    [
      'kotlin',
      'package x\n\n/** D. */\ndata class B(val n: String)\n\nfun main() {\n\n  x()\n}\n',
      ['-: package x', 'B: /** D. */', 'main: fun main() {'],
    ],
    ['yaml', '# c\nversion: 3\n\nservices:\n  web: x\n\n  db: y\n', ['version: # c', 'services: services:']],
    [
      'sql',
      "-- All.\n\n-- T.\nCREATE TABLE a.t (x text DEFAULT ';'); -- end\nINSERT INTO t VALUES (1);\nINSERT INTO t VALUES (2);\nCREATE OR REPLACE FUNCTION f() RETURNS int AS $$ BEGIN; END $$;\n",
      [
        '-: -- All.',
        'a.t: -- T.',
        '-: INSERT INTO t VALUES (1);',
        'f: CREATE OR REPLACE FUNCTION f() RETURNS int AS $$ BEGIN; END $$;',
      ],
    ],
  ])('of %s', async (language, source, expected) => {
    expect(await outline(source, language)).toEqual(expected);
  });

  it('loses none of its lines', async () => {
    const source =
      'import a\n\nX = 1\ndef f():\n    pass\nprint(f())\nclass C:\n    def g(self):\n        return 2\n\n    y = 3\nlast()\n';
    const blocks = await codeBlocks(source, 'python');
    const written = blocks.flatMap((block) => (block.kind === 'code' ? block.text.split('\n') : []));
    expect(written.map((line) => line.trim()).filter((line) => line !== '')).toEqual(
      source
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== ''),
    );
  });

  it('says in which language it is written', async () => {
    const bytes = new TextEncoder().encode('def f\nend\n');
    expect(await readCode({ bytes, filename: 'lib/a.rb' })).toMatchObject({
      mediaType: 'text/x-ruby',
      contentType: 'code',
      programmingLanguage: 'ruby',
      blocks: [{ kind: 'code', language: 'ruby', symbol: ['f'] }],
    });
  });
});
