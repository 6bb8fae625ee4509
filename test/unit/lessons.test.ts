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

const times = (count: number) => (count === 1 ? 'once' : `${count} times`);

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
        'Avoid: broad search, because: too many results',
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
    expect(lesson!.content).toBe('Avoid: broad search, because: still too many; too many results');
  });

  it('[C10] names what worked only in part while nothing has worked, and is never empty', () => {
    const inPart = () => attempt({ outcome: 'partial_success' });
    expect(lessonOf([inPart(), inPart()])!.content).toBe('Worked only in part: narrow filter');
    expect(lessonOf([inPart(), attempt(broad)])!.content).toBe(
      'Worked only in part: narrow filter\nAvoid: broad search, because: too many results',
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
    expect(lesson!.content).toContain('Avoid: narrow filter, because: the space was renamed');
  });

  const repeated = (count: number, fields: Partial<Attempt>) =>
    Array.from({ length: count }, () => attempt(fields));
  const chart = {
    query: 'Deploy the staging environment',
    approach: 'run the helm chart',
  };
  const shutDown = {
    ...chart,
    outcome: 'failure',
    failureReason: 'the chart repository was shut down',
  } as const;

  it.each([
    { successes: 1, failures: 1 },
    { successes: 5, failures: 4 },
    { successes: 12, failures: 10 },
    { successes: 30, failures: 20 },
    { successes: 97, failures: 4 },
  ])(
    '[C10] gives up an approach that worked $successes times, after $failures failures in a row, and says why',
    ({ successes, failures }) => {
      const lesson = lessonOf([...repeated(successes, chart), ...repeated(failures, shutDown)])!;
      expect(lesson).toMatchObject({ support: 0, failures });
      expect(lesson.content).toBe('Avoid: run the helm chart, because: the chart repository was shut down');
      expect(lesson.description).toBe(
        `“run the helm chart” worked ${times(successes)}, but then failed ${times(failures)}: try something else.`,
      );
    },
  );

  it('[C10] keeps an approach that usually works, with the reason of its failures, and takes it up again', () => {
    const history = repeated(12, chart);
    const twice = lessonOf([...history, ...repeated(2, shutDown)])!;
    expect(twice.content).toBe(
      'Do: run the helm chart\nWhy it failed at times: the chart repository was shut down',
    );
    const gaveWay = [...history, ...repeated(4, shutDown)];
    expect(lessonOf(gaveWay)!.content).not.toContain('Do:');
    expect(lessonOf([...gaveWay, ...repeated(4, chart)])!.content).toContain('Do: run the helm chart');
  });

  it('[C10] is not drawn from attempts that only repeat their questions', () => {
    const query = 'Restart the search service';
    const same = { query, approach: 'restart the search service' };
    const failed = { ...same, outcome: 'failure' } as const;
    for (const teachNothing of [
      repeated(3, same),
      repeated(3, { query, approach: 'Search service: restarted!' }),
      repeated(3, { query, approach: 'do it' }),
      repeated(2, failed),
      [...repeated(3, same), ...repeated(1, { ...failed, failureReason: 'the service' })],
      repeated(2, { query: '重启搜索服务', approach: '重启搜索' }),
    ])
      expect(lessonOf(teachNothing)).toBeUndefined();
    for (const teachSomething of [
      [attempt({ ...same, approach: 'with systemctl' }), attempt(same)],
      [attempt({ ...same, successFactors: ['drained it first'] }), attempt(same)],
      [attempt({ ...failed, failureReason: 'no permission' }), attempt(same)],
      [attempt(same), attempt(same), attempt({ ...failed, strategy: { force: true } })],
      [attempt(same), attempt({ ...failed, approach: 'search' })],
      repeated(2, { query: '重启搜索服务', approach: '用系统命令' }),
    ])
      expect(lessonOf(teachSomething)).toBeDefined();
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
