import { describe, expect, it } from 'vitest';
import { readDocument } from '../../src/adapters/documents/read-document.ts';

const fileOf = (value: unknown, filename = 'a.ipynb') => ({
  bytes: new TextEncoder().encode(JSON.stringify(value)),
  filename,
});
const notebook = (cells: readonly object[], more: object = {}) => ({
  cells,
  nbformat: 4,
  nbformat_minor: 5,
  metadata: { kernelspec: { language: 'python', name: 'python3' } },
  ...more,
});

describe('a notebook', () => {
  it('is read by cell: markdown, code in its language, and outputs as text', async () => {
    const cells = [
      { cell_type: 'markdown', source: ['# Tides\n', '\n', 'High water by *port*.'] },
      {
        cell_type: 'code',
        source: 'print(mean(tides))\n',
        outputs: [
          { output_type: 'stream', name: 'stdout', text: ['10 %\r', '100 %\n', '4.2\n'] },
          {
            output_type: 'execute_result',
            data: { 'text/plain': ['port  high\n', 'Faro  3.1'], 'text/html': '<table></table>' },
          },
          { output_type: 'display_data', data: { 'image/png': 'iVBORw0KGgo=' } },
        ],
      },
      { cell_type: 'raw', source: 'left as it is' },
      {
        cell_type: 'code',
        source: 'tides["x"]',
        outputs: [
          {
            output_type: 'error',
            ename: 'KeyError',
            evalue: "'x'",
            traceback: ['\u001B[0;31mKeyError\u001B[0m'],
          },
        ],
      },
      { cell_type: 'code', source: '  \n', outputs: [] },
    ];
    expect(await readDocument(fileOf(notebook(cells)))).toMatchObject({
      mediaType: 'application/x-ipynb+json',
      contentType: 'code',
      programmingLanguage: 'python',
      title: 'Tides',
      blocks: [
        { kind: 'heading', level: 1, text: 'Tides', page: 1 },
        { kind: 'text', text: 'High water by *port*.', page: 1 },
        { kind: 'code', language: 'python', text: 'print(mean(tides))', page: 2 },
        { kind: 'code', text: '100 %\n4.2', page: 2 },
        { kind: 'code', text: 'port  high\nFaro  3.1', page: 2 },
        { kind: 'text', text: 'left as it is', page: 3 },
        { kind: 'code', language: 'python', text: 'tides["x"]', page: 4 },
        { kind: 'code', text: "KeyError: 'x'", page: 4 },
      ],
      pages: { total: 5, empty: [5], withoutText: [] },
    });
  });

  it('is known by its bytes, with the cells of earlier formats', async () => {
    const old = {
      nbformat: 3,
      worksheets: [{ cells: [{ cell_type: 'code', language: 'julia', input: ['1 + 1'] }] }],
    };
    const { blocks } = await readDocument(fileOf(old, 'old.txt'));
    expect(blocks).toEqual([{ kind: 'code', language: 'julia', text: '1 + 1', page: 1 }]);
  });

  it('is other JSON where it has no cells', async () => {
    for (const value of [
      { nbformat: 4, cells: 7 },
      { cells: [], note: '"nbformat": 4' },
      [{ cells: 1 }, { cells: 2 }],
    ])
      expect((await readDocument(fileOf(value, 'a.json'))).mediaType).toBe('application/json');
  });
});
