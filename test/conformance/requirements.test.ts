import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

/** The requirements that this version promises to meet, at least in part. */
const promised = [
  ...['A1', 'A2', 'A3', 'A4', 'A5', 'A6', 'A7', 'A8', 'A9', 'A10', 'A11', 'A12', 'A13', 'A14', 'A15', 'A16'],
  ...['B1', 'B2', 'B3', 'B4', 'B5', 'B6', 'B7', 'B8', 'B9', 'D1', 'D3', 'D4', 'D5', 'D8', 'D9'],
  ...['C1', 'C2', 'C3', 'C4', 'C5', 'C6', 'C7', 'C8', 'C9', 'C10', 'C11', 'C12'],
  ...['E1', 'E2', 'E3', 'E4', 'E5', 'E6', 'E7', 'E8'],
  ...['D-1', 'D-2', 'D-3', 'D-4', 'D-5', 'D-6', 'D-7', 'D-8'],
  ...['F1', 'F2', 'F4', 'F5', 'F6', 'F9', 'G1', 'G2', 'G3', 'G4', 'G5', 'A19', 'I4'],
  ...['H1', 'H2', 'H3', 'H4', 'H5', 'H6', 'H7', 'H8', 'H9', 'H10', 'H11'],
  ...['I1', 'I2', 'I3', 'I5', 'J1', 'J2', 'J3', 'J4', 'J7', 'J8'],
];

/** Folders of tests that run the assembled program, or a part of it, against real servers. */
const folders = ['test/conformance', 'test/servers', 'test/faults'];

/** The first argument of `it`, `describe` or the result of `it.each(…)`, if it starts with ids: `[A5] [A7] finds …`. */
const title = /(?:\b(?:it|test|describe)(?:\.(?!todo\b|skip\b)\w+)*|\))\(\s*['"`]((?:\[[A-J]-?\d+\] ?)+)/g;

function idsIn(text: string): string[] {
  const code = text.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '');
  return [...code.matchAll(title)].flatMap(([, ids = '']) => ids.match(/[A-J]-?\d+/g) ?? []);
}

it('ids are found in test titles only', () => {
  const titles = [
    "it('[A1] [A2] stores', () => {})",
    "it.each([\n  ['x'],\n])('[D-1] %s', () => {})",
    'describe.skipIf(!url)(\n  `[G1] roles`, () => {})',
  ];
  expect(titles.flatMap(idsIn)).toEqual(['A1', 'A2', 'D-1', 'G1']);
  const others = [
    "  // it('[A1] later')",
    " * it('[A1] as here')",
    "say('[A1]')",
    "it.todo('[A1] some day')",
  ];
  expect(others.flatMap(idsIn)).toEqual([]);
});

it('every promised requirement has a test named by its id that runs the program', () => {
  const named = new Set(
    folders.flatMap((folder) =>
      readdirSync(folder)
        .filter((file) => file.endsWith('.test.ts'))
        .flatMap((file) => idsIn(readFileSync(path.join(folder, file), 'utf8'))),
    ),
  );
  expect(
    promised.filter((id) => !named.has(id)),
    'requirements without a test',
  ).toEqual([]);
});
