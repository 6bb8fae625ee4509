import { describe, expect, it } from 'vitest';
import { successorsFirst } from '../../src/domain/links/successors-first.ts';

const arranged = (items: string, newest: Record<string, string>): string =>
  successorsFirst(
    [...items],
    (id) => id,
    (id) => newest[id],
  ).join('');

describe('results of which some are superseded', () => {
  it.each<[string, string, Record<string, string>, string]>([
    ['nothing is superseded', 'abc', {}, 'abc'],
    ['the successor is behind: it takes the place', 'aXbN', { X: 'N' }, 'aNXb'],
    ['the successor is ahead: the predecessor follows it', 'aNbX', { X: 'N' }, 'aNXb'],
    ['a chain', 'XaYbN', { X: 'N', Y: 'N' }, 'NXYab'],
    ['the successor is not among them', 'aXb', { X: 'N' }, 'aXb'],
    ['two pairs', 'XYMN', { X: 'M', Y: 'N' }, 'MXNY'],
  ])('[A14] %s', (_, items, newest, expected) => {
    expect(arranged(items, newest)).toBe(expected);
  });
});
