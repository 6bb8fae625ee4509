import { describe, expect, it } from 'vitest';
import { editDistance, suggestField } from '../../src/domain/input/suggest-field.ts';

const search = ['query', 'layers', 'scope', 'spaces', 'filter', 'tags', 'topK', 'threshold', 'order', 'asOf'];
const list = ['layer', 'space', 'tag', 'state', 'createdAfter', 'createdBefore', 'limit', 'cursor', 'filter'];
const store = ['content', 'layer', 'scope', 'spaces', 'metadata', 'tags', 'externalId', 'occurredAt'];
const scopes = ['scope.org', 'scope.team', 'scope.project', 'scope.session', 'scope.user', 'scope.agent'];

describe('edit distance', () => {
  it.each([
    ['', '', 0],
    ['', 'abc', 3],
    ['content', 'contnet', 1],
    ['content', 'contents', 1],
    ['topK', 'topk', 1],
    ['kitten', 'sitting', 3],
    ['abcd', 'badc', 2],
  ])('[I2] of %j and %j is %i', (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance);
    expect(editDistance(b, a)).toBe(distance);
  });
});

describe('the field that an unknown name stands for', () => {
  it.each([
    ['another case', 'topk', search, 'topK'],
    ['underscores', 'top_k', search, 'topK'],
    ['another case and underscores', 'External_ID', store, 'externalId'],
    ['a singular for a plural', 'filters', search, 'filter'],
    ['the name that a list has for it', 'limit', search, 'topK'],
    ['the name that a search has for it', 'topK', list, 'limit'],
    ['a synonym', 'q', search, 'query'],
    ['a synonym with underscores', 'min_score', search, 'threshold'],
    ['a synonym in the plural', 'labels', store, 'tags'],
    ['the text of other programs', 'text', store, 'content'],
    ['the text of other programs in a search', 'text', search, 'query'],
    ['since', 'since', list, 'createdAfter'],
    ['two letters that are swapped', 'contnet', store, 'content'],
    ['a letter too many', 'qquery', search, 'query'],
    ['a letter too few', 'treshold', search, 'threshold'],
    ['a field of another object', 'project', store, 'scope.project'],
    ['a synonym of a field of another object', 'user_id', store, 'scope.user'],
  ])('[I2] %s: %s', (_, name, here, field) => {
    expect(suggestField(name, { here, elsewhere: scopes })).toBe(field);
  });

  it.each(['colour', 'x', '', '__proto__', 'constructor', 'toString', 'c'.repeat(10_000), 'ação'])(
    '[I2] is none for %s',
    (name) => {
      expect(suggestField(name.slice(0, 10_000), { here: store, elsewhere: scopes })).toBeUndefined();
    },
  );
});
