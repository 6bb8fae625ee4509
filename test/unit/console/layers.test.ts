import type { Summary } from '@stratalog/client';
import { describe, expect, it } from 'vitest';
import { piecesOf } from '../../../console/src/screens/layers/citations.ts';
import { byScope, scopeKeysOf, scopeName } from '../../../console/src/screens/layers/scopes.ts';

describe('piecesOf', () => {
  it('cuts a summary at the marks of its sources', () => {
    expect(piecesOf('One. [1] Two. [2]', 2)).toEqual([
      { text: 'One. ' },
      { mark: 1 },
      { text: ' Two. ' },
      { mark: 2 },
    ]);
  });

  it('leaves other brackets as text', () => {
    const pieces = piecesOf('a[0] and [9] and [x]', 2);
    expect(pieces.some((piece) => 'mark' in piece)).toBe(false);
    expect(pieces.map((piece) => ('text' in piece ? piece.text : '')).join('')).toBe('a[0] and [9] and [x]');
  });
});

const summary = (layer: Summary['layer'], scope: Summary['scope'], depth: Summary['depth']) =>
  ({ layer, scope, depth }) as Summary;

describe('scopes', () => {
  it('are named by the identifiers of their layer', () => {
    expect(scopeKeysOf('company')).toEqual([]);
    expect(scopeKeysOf('session')).toEqual(['user', 'session']);
    expect(scopeName({ layer: 'team', scope: { team: 'cranes', org: 'harbour' } })).toBe('team cranes');
    expect(scopeName({ layer: 'company', scope: {} })).toBe('company');
  });

  it('hold their summaries, the shortest depth first', () => {
    const scopes = byScope([
      summary('team', { team: 'a' }, 'detailed'),
      summary('team', { team: 'b' }, 'sentence'),
      summary('team', { team: 'a' }, 'sentence'),
    ]);
    expect(scopes.map(({ key, summaries }) => [key, summaries.map(({ depth }) => depth)])).toEqual([
      ['team: team a', ['sentence', 'detailed']],
      ['team: team b', ['sentence']],
    ]);
  });
});
