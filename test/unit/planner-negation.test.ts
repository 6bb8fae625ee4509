import { describe, expect, it } from 'vitest';
import { planOf } from '../../src/domain/routing/planner.ts';
import { filterText } from '../support/filter-text.ts';
import { vocabularyOf } from '../support/vocabulary.ts';

/** Services with an owner, a status, and the languages of their teams. */
const vocabulary = vocabularyOf(
  Array.from({ length: 24 }, (_, n) => ({
    scope: {},
    metadata: {
      owner: ['api', 'web', 'data lake', 'mobile'][n % 4]!,
      status: n % 2 === 0 ? 'active' : 'retired',
      runtime: ['redis', 'kafka'][n % 2]!,
      release: `v1.${27 + (n % 6)}`,
    },
    occurredAt: `20${20 + (n % 7)}-05-01T00:00:00Z`,
  })),
);
const now = new Date('2026-02-10T12:00:00Z');

function conditionsOf(question: string): string[] {
  return planOf(question, vocabulary, { now }).operands.flatMap(({ filter }) =>
    filter ? [filterText(filter)] : [],
  );
}

const notApi = ['not owner = api'];
const none: string[] = [];
const year = (one: number) => `(occurredAt >= ${one} and occurredAt < ${one + 1})`;

type Row = [question: string, conditions: string[]];

function table(rows: readonly Row[]): void {
  it.each<Row>([...rows])('%s', (question, conditions) => {
    expect(conditionsOf(question)).toEqual(conditions);
  });
}

describe('[B4] [B6] the value is excluded in', () => {
  table([
    ['list all services that team api does not own', notApi],
    ["list all services that the api team doesn't own", notApi],
    ['list all services that the api team doesn’t own', notApi],
    ['list all services that api doesnt own', notApi],
    ['list all services which api no longer owns', notApi],
    ['list all services which api never owned', notApi],
    ['list all services that api stopped maintaining', notApi],
    ['list all services that api currently does not maintain', notApi],
    ['list all services that team api, as of today, does not own', notApi],
    ['list all services for which api is not the owner', notApi],
    ["list all services where api isn't the owner", notApi],
    ['list all services api is not responsible for', notApi],
    ['which services does team api not own', notApi],
    [
      'list all services that api, web and mobile do not own',
      ['(not owner = api and not owner = web and not owner = mobile)'],
    ],
    [
      'list all services that team api does not own and that are active',
      ['(not owner = api and status = active)'],
    ],
    ['list all services that team api does not own in 2024', notApi],
    ["list all services that don't have api as owner", notApi],
    ["which services doesn't api own", notApi],
    ['list all services that api and web do not own', ['(not owner = api and not owner = web)']],
    ['list all services that neither api nor web owns', ['(not owner = api and not owner = web)']],
    ['list all services owned by anyone but api', notApi],
    ['list all services owned by everybody but the api team', notApi],
    ['list all services of every team but web', ['not owner = web']],
    ['list all services but those of api', notApi],
    ['list all services whose owner is not api', notApi],
    ['list all services with owner != api', notApi],
    ['list all services with owner <> api', notApi],
    ['list all services not owned by team api', notApi],
    ['list all services not maintained by the api team', notApi],
    ['list all services no longer owned by api', notApi],
    ['list all services not owned by anybody who is in team api', notApi],
    ['list all services except those of team api', notApi],
    ['list all services except: api', notApi],
    ['list all services, excluding (api)', notApi],
    ['list all services with the exception of api', notApi],
    ['list all services apart from those of api', notApi],
    ['list all services owned by somebody else than api', notApi],
    ['list all services without owner api', notApi],
    ['list all services w/o owner api', notApi],
    ['list all services, api excluded', notApi],
    ['list all services minus those of api', notApi],
    ['list all services, ignoring those of api', notApi],
    ['list all services unrelated to api', notApi],
    ['list all services except team api and team web', ['(not owner = api and not owner = web)']],
    ['list all services except those of api and those of web', ['(not owner = api and not owner = web)']],
    ['list all services except api, data lake', ['(not owner = data lake and not owner = api)']],
    [
      'list all services except data lake, api or web',
      ['(not owner = data lake and not owner = api and not owner = web)'],
    ],
    ['list all services that are no longer active', ['not status = active']],
    ['list all services that are not active any more', ['not status = active']],
    ['list all features that v1.30 no longer has', ['not release = v1.30']],
  ]);
});

describe('[B4] [B6] it is not clear what is excluded in', () => {
  table([
    ['list all services that api does not support', none],
    ['list all services that api has not deployed on this cluster', none],
    ['list all services owned by none other than api', none],
    ['list all services not owned by anyone but api', none],
    ['list all services not without owner api', none],
    ['list all services formerly owned by api', none],
    ['list all services which used to be owned by api', none],
    ['list all services, active or not', none],
    ['list all services that api gave up', none],
    ['list all services, except, say, api', none],
    ["list all problems: why doesn't api restart", none],
    ['list all services -api', none],
  ]);
});

describe('[B4] [B6] the negation is about something else in', () => {
  table([
    ['list all services owned by team api', ['owner = api']],
    ['list all services of x-api', ['owner = api']],
    ['list all services that api quit one year ago', [`(${year(2025)} and owner = api)`]],
    ['list all services of api as of 2024', [`(${year(2024)} and owner = api)`]],
    ['list all services of api as of today', ['owner = api']],
    ['list all services of api that are not active', ['(owner = api and not status = active)']],
    ['list all services owned by api which are not active', ['(owner = api and not status = active)']],
    ['list all services owned by api, not web', ['(owner = api and not owner = web)']],
    ['list all services owned by api and not active', ['(owner = api and not status = active)']],
    ['list all active services that are not owned by api', ['(status = active and not owner = api)']],
    ['list all services of the api team without status retired', ['(owner = api and not status = retired)']],
    ['list all services owned by nobody but api', ['owner = api']],
    ['list all services of not only api but also web', ['owner = api', 'owner = web']],
    ['list all services with status active, not retired', ['(status = active and not status = retired)']],
    ['list all services of every team but only with status active', ['status = active']],
    ['list all services in api. Do not list others', ['owner = api']],
    ['list all services of api, no matter what', ['owner = api']],
  ]);
});
