import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findingsOf, lessonOf as write, type Attempt } from '../../src/domain/experience/lessons.ts';
import { allOutcomes } from '../../src/domain/experience/trace.ts';

let position = 0;

function lessonOf(attempts: readonly Attempt[]) {
  const findings = findingsOf(attempts);
  return findings && write(findings);
}

function attempt(fields: Partial<Attempt>): Attempt {
  position++;
  return {
    id: `t${position}`,
    query: 'Find Salesforce Einstein best practices',
    approach: 'narrow filter',
    outcome: 'success',
    position,
    ...fields,
  };
}

const broad = {
  approach: 'broad search',
  outcome: 'failure',
  strategy: { topK: 50 },
  failureReason: 'too many  results',
} as const;

describe('a lesson', () => {
  it('[C10] says what differed between the attempt that succeeded and the one that failed', () => {
    const lesson = lessonOf([
      attempt(broad),
      attempt({ strategy: { topK: 5, space: 'crm' }, successFactors: { filter: 'the space alone' } }),
      attempt({ strategy: { topK: 5, space: 'crm' } }),
    ]);
    expect(lesson).toEqual({
      title: 'Questions like: Find Salesforce Einstein best practices',
      description: '“narrow filter” worked 2 times; “broad search” failed once.',
      content: [
        'Do: narrow filter',
        'Unlike what failed: topK 5 instead of 50, space crm',
        'What helped: filter: the space alone',
        'Avoid: broad search (too many results)',
      ].join('\n'),
      support: 2,
      failures: 0,
    });
  });

  it('[C10] is not drawn from one attempt, nor from attempts whose outcome is not known', () => {
    expect(lessonOf([attempt({})])).toBeUndefined();
    expect(lessonOf([attempt({}), attempt({ outcome: 'pending' })])).toBeUndefined();
  });

  it('[C10] only warns while nothing has worked', () => {
    const lesson = lessonOf([attempt(broad), attempt({ ...broad, failureReason: 'still too many' })]);
    expect(lesson).toMatchObject({ support: 0, failures: 2 });
    expect(lesson!.content).toBe('Avoid: broad search (still too many; too many results)');
  });

  it('[C10] names what worked only in part while nothing has worked, and is never empty', () => {
    const inPart = () => attempt({ outcome: 'partial_success' });
    expect(lessonOf([inPart(), inPart()])!.content).toBe('Worked only in part: narrow filter');
    expect(lessonOf([inPart(), attempt(broad)])!.content).toBe(
      'Worked only in part: narrow filter\nAvoid: broad search (too many results)',
    );
  });

  it('[C10] loses its recommendation when it fails, to an approach that works', () => {
    const fails = () => attempt({ outcome: 'failure', failureReason: 'the space was renamed' });
    const history = [attempt({}), attempt({})];
    expect(lessonOf([...history, fails()])).toMatchObject({ support: 2, failures: 1 });
    expect(lessonOf([...history, fails(), fails()])).toMatchObject({ support: 0 });
    const other = [attempt({ approach: 'by tag' }), attempt({ approach: 'by tag' })];
    const lesson = lessonOf([...history, fails(), ...other]);
    expect(lesson).toMatchObject({ support: 2, failures: 0 });
    expect(lesson!.content).toContain('Do: by tag');
    expect(lesson!.content).toContain('Avoid: narrow filter (the space was renamed)');
  });

  it('[C10] does not depend on the order of its attempts, and is short however long they are', () => {
    const text = fc.string({ minLength: 1, maxLength: 400 });
    const attempts = fc.array(
      fc.record({
        query: text,
        approach: fc.oneof(fc.constantFrom('narrow filter', 'broad search'), text),
        outcome: fc.constantFrom(...allOutcomes),
        strategy: fc.option(fc.dictionary(fc.string({ maxLength: 5 }), fc.nat(2), { maxKeys: 3 }), {
          nil: undefined,
        }),
        failureReason: fc.option(text, { nil: undefined }),
      }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(attempts, (drawn) => {
        const all = drawn.map((fields, index) => ({ id: `${index}`, position: index, ...fields }));
        const lesson = lessonOf(all);
        expect(lessonOf([...all].reverse())).toEqual(lesson);
        if (!lesson) return;
        expect(lesson.title.length).toBeLessThanOrEqual(160);
        expect(lesson.content.length).toBeLessThan(5_000);
        expect(lesson.support + lesson.failures).toBeLessThanOrEqual(all.length);
      }),
    );
  });
});
