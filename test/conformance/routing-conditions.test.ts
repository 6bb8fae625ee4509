import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Json } from '../support/api.ts';
import { SearchTenant, comparison } from '../support/search-tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer();

const namesOf = (answer: Json): string[] => answer.results.map(({ memory }: Json) => memory.externalId);
const actionsOf = (audit: Json): string[] => audit.trajectory.steps.map(({ action }: Json) => action);

describe('conditions in a question', () => {
  const teams = ['sig-node', 'sig-auth', 'sig-network'];
  const handling = (org: string, team: string) =>
    Array.from({ length: 4 }, (_, n) => ({
      externalId: `${team}-${n}`,
      layer: 'team',
      scope: { org, team },
      content: `Error handling in ${team}: we use ${['retries', 'codes', 'alerts', 'budgets'][n]}`,
    }));
  const memories = [
    ...teams.flatMap((team) => handling('platform', team)),
    ...['lakehouse', 'streaming'].flatMap((team) => handling('data', team)),
  ];

  it('[B5] [B6] [A7] are covered evenly, with the same results at any threshold', async () => {
    const tenant = await SearchTenant.create(server, { memories, request: { topK: 6, order: 'relevance' } });
    const query = 'Compare error handling across the platform teams';
    const found = await Promise.all([0, 0.1, 0.3].map((threshold) => tenant.search(query, { threshold })));
    for (const answer of found) {
      const sides = namesOf(answer).map((name) => name.replace(/-\d$/, ''));
      expect(teams.map((team) => sides.filter((side) => side === team).length)).toEqual([2, 2, 2]);
      expect(namesOf(answer)).toEqual(namesOf(found[0]!));
    }
  });

  it('[B6] can be written in search-box shorthand', async () => {
    const proposals = ['accepted', 'rejected', 'draft'].flatMap((status) =>
      ['3.11', '3.12', '3.13'].map((version) => ({
        externalId: `${status} ${version}`,
        layer: 'company',
        content: `A proposal on packaging: how wheels name their platform (${status.length}${version.at(-1)})`,
        metadata: { status, 'python-version': version },
      })),
    );
    const tenant = await SearchTenant.create(server, { memories: proposals, request: { topK: 3 } });
    const { answer, audit } = await tenant.ask('accepted proposals on packaging for 3.12', {
      order: 'relevance',
    });
    expect(audit.route).toBe('decomposition');
    expect(namesOf(answer)[0]).toBe('accepted 3.12');
  });

  it('[A6] do not let near-duplicates through: each text appears once, from its most specific layer', async () => {
    const texts = ['retries', 'alerts', 'budgets', 'deadlines', 'queues', 'quotas'];
    const content = (word: string) =>
      `The retry policy of the services for ${word} is written down by the owners`;
    const copies = texts.flatMap((word) => [
      { externalId: `${word} copy`, layer: 'company', content: content(word) },
      { externalId: word, layer: 'team', scope: { team: 'alpha' }, content: content(word) },
    ]);
    const tenant = await SearchTenant.create(server, { memories: copies, request: { topK: 6 } });
    const { answer, audit } = await tenant.ask(
      'Which services differ in retry policy and how do all of them compare?',
    );
    expect(audit.route).toBe('decomposition');
    expect(new Set(namesOf(answer))).toEqual(new Set(texts));
  });

  it('[B6] on a time also match memories stored then that state no time of their own', async () => {
    const decision = (externalId: string, occurredAt?: string) => ({
      externalId,
      layer: 'company',
      content: `Decision of the build team: ${externalId}`,
      ...(occurredAt && { occurredAt }),
    });
    const decisions = [
      ...['one', 'two', 'three', 'four'].map((name) => decision(name)),
      decision('recent', new Date(Date.now() - 24 * 3_600_000).toISOString()),
      decision('ancient', '2019-01-01T00:00:00Z'),
    ];
    const tenant = await SearchTenant.create(server, { memories: decisions, request: { topK: 10 } });
    const query = 'List all decisions of the build team since yesterday';
    const names = namesOf(await tenant.search(query, { threshold: 0.05, order: 'relevance' }));
    expect(names[0]).toBe('recent');
    expect(new Set(names.slice(0, 5))).toEqual(new Set(['recent', 'one', 'two', 'three', 'four']));
  });
});

describe('values and numbers in a question', () => {
  const owners = ['api', 'web', 'data', 'mobile'];
  const services = Array.from({ length: 24 }, (_, n) => ({
    externalId: `${owners[n % 4]}-${n}`,
    layer: 'company',
    content: `Service ${n} handles some requests of the shop each second.`,
    metadata: { owner: owners[n % 4]!, size: n * 1_000, balance: (n - 10) / 10 },
  }));
  const request = { topK: 5, threshold: 0, order: 'relevance' };

  it('[B4] [B6] find what is not of an excluded value, wherever its negation stands', async () => {
    const tenant = await SearchTenant.create(server, { memories: services, request });
    for (const question of [
      'List all services that team api does not own',
      'List all services which api no longer owns',
      'List all services of every team but api',
      'List all services for which api is not the owner',
    ]) {
      const owned = namesOf(await tenant.search(question)).map((name) => name.split('-')[0]);
      expect(owned, question).toHaveLength(5);
      expect(owned, question).not.toContain('api');
    }
    const own = namesOf(await tenant.search('List all services owned by team api'));
    expect(own.every((name) => name.startsWith('api-'))).toBe(true);
  });

  it('[B4] [B6] are read whole', async () => {
    const tenant = await SearchTenant.create(server, { memories: services, request });
    const numbersOf = (answer: Json) => namesOf(answer).map((name) => Number(name.split('-')[1]));
    for (const size of ['18,000', '18 000', '18k', '1.8e4'])
      expect(numbersOf(await tenant.search(`List all services with size above ${size}`)).sort()).toEqual([
        19, 20, 21, 22, 23,
      ]);
    const below = numbersOf(await tenant.search('List all services with balance below -0.5'));
    expect(below.sort()).toEqual([0, 1, 2, 3, 4]);
  });

  it('[B4] [A8] a relative time is one seen from the time of asking', async () => {
    const days = Array.from({ length: 12 }, (_, n) => ({
      externalId: `day ${n + 1}`,
      layer: 'company',
      content: `Decision ${n} of the build team`,
      occurredAt: new Date(Date.UTC(2026, 2, 1 + n, 15)).toISOString(),
    }));
    const tenant = await SearchTenant.create(server, { memories: days, request: { ...request, topK: 7 } });
    const answer = await tenant.search('List all decisions of the build team from last week', {
      now: '2026-03-12T15:00:00Z',
    });
    // 12 March 2026 is a Thursday.
    expect(new Set(namesOf(answer))).toEqual(new Set([2, 3, 4, 5, 6, 7, 8].map((day) => `day ${day}`)));
  });
});

describe('a question about all places of a kind', () => {
  const practice = (team: string, topic: string) => ({
    externalId: `${team} ${topic}`,
    layer: 'team',
    scope: { org: 'platform', team },
    content: `Error handling pattern of ${team}: we handle errors by ${topic}`,
  });
  const topics = ['retries', 'codes', 'alerts', 'budgets', 'queues', 'quotas', 'timeouts', 'fallbacks'];
  const memories = [
    ...topics.map((topic) => practice('alpha', topic)),
    ...['beta', 'gamma'].flatMap((team) => [
      {
        externalId: `${team} errors`,
        layer: 'team',
        scope: { org: 'platform', team },
        content: `An error handling pattern in ${team}: what went wrong is wrapped and left to the caller`,
      },
      {
        externalId: `${team} lunch`,
        layer: 'team',
        scope: { org: 'platform', team },
        content: `The ${team} team eats lunch together on Thursdays`,
      },
    ]),
  ];
  const teamsOf = (answer: Json): string[] => namesOf(answer).map((name) => name.split(' ')[0]!);

  it('[B4] [B6] is answered from each place, however the question is phrased', async () => {
    const tenant = await SearchTenant.create(server, {
      memories,
      request: { threshold: 0.2, order: 'relevance' },
    });
    for (const breadth of ['across all teams', 'across teams', 'for each team', 'in every team']) {
      const { answer, audit } = await tenant.ask(`Compare error handling patterns ${breadth}`, {
        topK: 3,
      });
      const drill = audit.trajectory.steps.find(({ action }: Json) => action === 'DrillDown');
      expect(drill, breadth).toMatchObject({ found: 3, arguments: { from: 'org', to: 'team' } });
      expect(teamsOf(answer).sort(), breadth).toEqual(['alpha', 'beta', 'gamma']);
    }
    const { answer, audit } = await tenant.ask('List the error handling patterns across all teams', {
      topK: 20,
    });
    expect(actionsOf(audit)).toContain('DrillDown');
    expect(new Set(teamsOf(answer))).toEqual(new Set(['alpha', 'beta', 'gamma']));
  });
});

describe('a question too large for an event', () => {
  it('[F1] [B7] is recorded with its results but without its filter, and answered without delay', async () => {
    const tenant = await SearchTenant.create(server, { request: { topK: 4 } });
    // Random values, so that compression does not help.
    const values = Array.from({ length: 1_000 }, () => randomBytes(900).toString('base64'));
    const filter = { not: { 'metadata.a': { in: values } } };
    const { audit, answer } = await tenant.ask(comparison, { filter });
    expect(answer.results).not.toEqual([]);
    expect(audit.results).toHaveLength(answer.results.length);
    expect(audit.warnings).toEqual(['abridged']);
    expect(audit.request.filter).toBeUndefined();
    expect(audit.trajectory).toMatchObject({ outcome: 'complete' });
    expect(audit.trajectory.warnings).toContain('abridged');
  });

  it('[B1] is searched as a whole if it is pasted text, and answered without delay', async () => {
    const tenant = await SearchTenant.create(server, { request: { topK: 4 } });
    const pasted = `Compare the teams ${'KEP-1 of Search and KEP-2 of Billing '.repeat(100)}`;
    const { audit } = await tenant.ask(pasted);
    expect(audit.route).toBe('decomposition');
    expect(actionsOf(audit).filter((action) => action === 'SearchLayer').length).toBeLessThanOrEqual(4);
  });
});
