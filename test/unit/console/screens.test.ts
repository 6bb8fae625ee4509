import { expect, it } from 'vitest';
import { hiddenScreen, screensFor } from '../../../console/src/app/screens.ts';

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

it('[J5] names the screen of an address that a role does not see', () => {
  const may = (operation: string) => operation === 'listDocuments';
  expect(hiddenScreen('/proof', may)).toBe('Proof');
  expect(hiddenScreen('/memories/1', may)).toBe('Memories');
  for (const path of ['/', '/documents', '/documents/1', '/nowhere'])
    expect(hiddenScreen(path, may)).toBeUndefined();
});

it('[J5] has a letter of its own for each shortcut', () => {
  const letters = screensFor(() => true).flatMap(({ letter }) => letter ?? []);
  expect(letters.length).toBeGreaterThan(5);
  expect(new Set(letters).size).toBe(letters.length);
});
