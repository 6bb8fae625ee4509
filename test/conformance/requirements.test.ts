import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

/** The behaviours that this version promises; each has a test named by its id on the assembled server. */
const promised = [
  ...['A1', 'A2', 'A3', 'A4', 'A5', 'A6', 'A7', 'A8', 'A9', 'A10', 'A11', 'A12', 'A13', 'A14', 'A15'],
  ...['B1', 'B2', 'B3', 'B4', 'B5', 'B6', 'B7', 'B8', 'B9', 'D3', 'D4', 'D5'],
  ...['D-1', 'D-2', 'D-3', 'D-4', 'D-5', 'D-6', 'D-7', 'D-8'],
  ...['F1', 'F2', 'F4', 'F5', 'F9', 'I1', 'I2', 'I3', 'J1', 'J2', 'J4', 'J7', 'J8'],
];

const folders = [
  'test/conformance',
  'test/servers',
  'test/faults',
  'test/unit',
  'test/contract',
  'test/property',
];

it('every promised requirement has a test named by its id', () => {
  const titles = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(path.join(folder, file), 'utf8')),
  );
  const missing = promised.filter((id) => !titles.some((text) => text.includes(`[${id}]`)));
  expect(missing, 'requirements without a test').toEqual([]);
});
