import { describe, expect, it } from 'vitest';
import { innermostContainer } from '../../src/domain/layers.ts';
import { mentionsFilter, mentionsIn } from '../../src/domain/routing/mentions.ts';
import { vocabularyOf } from '../support/vocabulary.ts';

const rules = Array.from({ length: 60 }, (_, n) => ({
  scope: { org: 'care', project: `${n}-hygiene-rule` },
  metadata: { code: `RULE-${n}`, state: n % 2 === 0 ? 'phase-1' : 'phase-2' },
}));

describe('follow-up searches from a match', () => {
  it('search its innermost place, but never a person', () => {
    const scope = { org: 'care', project: 'p', user: 'ann', agent: 'bot' };
    expect(innermostContainer(scope)).toEqual({ key: 'project', value: 'p' });
    expect(innermostContainer({ user: 'ann' })).toBeUndefined();
    expect(innermostContainer({})).toBeUndefined();
  });

  it('search known places and names that its text mentions, but not itself and no labels', () => {
    const text = 'see /rules/7-hygiene-rule, RULE-9, RULE-999, 3-hygiene-rule and phase-1';
    expect(mentionsFilter(mentionsIn(text, rules[3]!, vocabularyOf(rules)))).toEqual({
      kind: 'or',
      filters: [
        { kind: 'test', field: 'scope.project', path: [], operator: 'eq', value: '7-hygiene-rule' },
        { kind: 'test', field: 'metadata', path: ['code'], operator: 'eq', value: 'RULE-9' },
      ],
    });
    expect(mentionsFilter(mentionsIn('nothing by name', rules[3]!, vocabularyOf(rules)))).toBeUndefined();
  });

  it('search names even in a small tenant, if each memory has a different one', () => {
    const few = [
      { scope: {}, metadata: { id: 'incident-3', state: 'phase-1' } },
      { scope: {}, metadata: { id: 'runbook-17', state: 'phase-2' } },
      { scope: {}, metadata: { id: 'rota-4', state: 'phase-2' } },
    ];
    const text = 'runbook-17 was not followed in phase-2';
    expect(mentionsIn(text, few[0]!, vocabularyOf(few))).toEqual([
      { field: 'metadata.id', value: 'runbook-17' },
    ]);
  });
});
