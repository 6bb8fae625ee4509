import { expect, it } from 'vitest';
import { screensFor } from '../../../console/src/app/screens.ts';

const namesFor = (operations: readonly string[]) =>
  screensFor((operation) => operations.includes(operation)).map(({ name }) => name);

it('[J5] offers the screens of which a role may use something', () => {
  expect(namesFor([])).toEqual(['Home']);
  expect(namesFor(['auditHeads'])).toEqual(['Home', 'Proof']);
});

it('[J5] offers the time machine and the sessions to roles that may not read the audit', () => {
  expect(namesFor(['stats', 'listMemories'])).toEqual([
    'Home',
    'Memories',
    'Time machine',
    'Sessions',
    'Layers',
  ]);
});

it('[J5] has a letter of its own for each shortcut', () => {
  const letters = screensFor(() => true).flatMap(({ letter }) => letter ?? []);
  expect(letters.length).toBeGreaterThan(5);
  expect(new Set(letters).size).toBe(letters.length);
});
