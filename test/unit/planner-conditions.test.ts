import { describe, expect, it } from 'vitest';
import { planOf } from '../../src/domain/routing/planner.ts';
import { filterText } from '../support/filter-text.ts';
import { vocabularyOf } from '../support/vocabulary.ts';

/** A publishing house: its manuscripts, and the releases of its typesetting software. */
const vocabulary = vocabularyOf(
  Array.from({ length: 24 }, (_, n) => ({
    scope: { org: 'press', team: ['fiction', 'poetry', 'maps'][n % 3]! },
    metadata: {
      protocol: `MS-${100 + n}`,
      title: n === 4 ? 'The Long Winter' : `Manuscript number ${n}`,
      status: n % 2 === 0 ? 'open' : 'closed',
      topic: ['travel', 'crime', 'history'][n % 3]!,
      priority: 10 * (1 + (n % 5)),
      n: n * 5,
      shelf: String(n),
      release: `v1.${27 + (n % 6)}`,
      signed: `202${n % 5}-0${1 + (n % 9)}-15`,
    },
    occurredAt: `20${20 + (n % 7)}-05-01T00:00:00Z`,
  })),
);
const now = new Date('2026-02-10T12:00:00Z');

const year = (first: number, end = first + 1) => `(occurredAt >= ${first} and occurredAt < ${end})`;
const none: string[] = [];

/** The filters of the operands, as text. */
function conditionsOf(question: string): string[] {
  return planOf(question, vocabulary, { now }).operands.flatMap(({ filter }) =>
    filter ? [filterText(filter)] : [],
  );
}

type Row = [question: string, conditions: string[]];

function table(rows: readonly Row[]): void {
  it.each<Row>([...rows])('%s', (question, conditions) => {
    expect(conditionsOf(question)).toEqual(conditions);
  });
}

describe('[B4] [B6] two bounds both apply in', () => {
  table([
    [
      'list all readings since 2024-06-01 and before 2025',
      ['(occurredAt >= 2024-06-01 and occurredAt < 2025)'],
    ],
    ['list all readings before 2025 and after 2023', [year(2024)]],
    ['list all readings before 2045 and after 2020', [year(2021, 2045)]],
    ['list all readings after 2022 but before 2024', [year(2023)]],
    ['list all readings since May and before July', ['(occurredAt >= 2025-05 and occurredAt < 2025-07)']],
    [
      'list all readings after 2023-12-31 and until 2024-12-31',
      ['(occurredAt >= 2024-01-01 and occurredAt < 2025-01-01)'],
    ],
    ['list all manuscripts since 2022 about boats and before 2024', [year(2022, 2024)]],
    ['list all manuscripts signed after 2021, before 2023', ['(signed >= 2022 and signed < 2023)']],
    ['list all features after v1.28 and before v1.31', ['release in v1.29,v1.30']],
    ['list all features since v1.29 and before v1.31', ['release in v1.29,v1.30']],
    ['list all features newer than v1.28 and older than v1.31', ['release in v1.29,v1.30']],
    ['list all features from v1.28 and up to v1.30', ['release in v1.28,v1.29,v1.30']],
    ['list all features since v1.20 and before v1.27', none],
  ]);
});

describe('[B4] [B6] two bounds are alternatives in', () => {
  table([
    ['list all readings before 2020 or after 2024', ['occurredAt < 2020', 'occurredAt >= 2025']],
    ['list all readings before 2020 and after 2024', ['occurredAt < 2020', 'occurredAt >= 2025']],
    ['compare readings before 2024 with those after 2022', ['occurredAt < 2024', 'occurredAt >= 2023']],
  ]);
});

describe('[B4] [B6] one bound is read from', () => {
  table([
    ['list all readings of 2024 and earlier', ['occurredAt < 2025']],
    ['list all readings of 2024 or later', ['occurredAt >= 2024']],
    ['list all readings of 2024 and before', ['occurredAt < 2025']],
    ['list all readings planned for next week', ['(occurredAt >= 2026-02-16 and occurredAt < 2026-02-23)']],
    ['what do we read tomorrow and next week', none],
    ['list all readings from earlier this month', ['(occurredAt >= 2026-02 and occurredAt < 2026-03)']],
    ['list all readings earlier than this month', ['occurredAt < 2026-02']],
    ['list all readings since the beginning of 2024', ['occurredAt >= 2024']],
    ['list all readings before the end of 2024', ['occurredAt < 2025']],
    ['list all readings after the end of March 2024', ['occurredAt >= 2024-04']],
    ['list all readings no later than 2024', ['occurredAt < 2025']],
    ['list all readings not before 2024', ['occurredAt >= 2024']],
    ['list all readings not until 2024', none],
    ['list all features of v1.30 and newer', ['release in v1.30,v1.31,v1.32']],
    ['list all features up to v1.29', ['release in v1.27,v1.28,v1.29']],
    ['list all features no later than v1.29', ['release in v1.27,v1.28,v1.29']],
    ['list all features above v1.30', ['release in v1.31,v1.32']],
    ['list all features under v1.30', none],
    ['list all features before v1.27', none],
  ]);
});

describe('[B4] [B6] a negation excludes a value in', () => {
  table([
    ['list all decisions not owned by team maps', ['not scope.team = maps']],
    ['list all decisions that do not belong to team maps', ['not scope.team = maps']],
    ['list all teams other than poetry', ['not scope.team = poetry']],
    ['list decisions of every team but not of poetry', ['not scope.team = poetry']],
    ['list decisions of every team but poetry', ['not scope.team = poetry']],
    ['list everything of 2024 but crime', [`(${year(2024)} and not topic = crime)`]],
    ['list decisions of neither poetry nor maps', ['(not scope.team = poetry and not scope.team = maps)']],
    ['list everything without topic crime', ['not topic = crime']],
    ['list all manuscripts that are not yet closed', ['not status = closed']],
    ["list all manuscripts whose status isn't closed", ['not status = closed']],
    ['list all manuscripts not with status closed', ['not status = closed']],
    ['list all readings not in 2024', [`not ${year(2024)}`]],
    ['list all readings except those of 2024', [`not ${year(2024)}`]],
    ['list all readings not in 2023 or 2024', [`(not ${year(2023)} and not ${year(2024)})`]],
    ['list all readings, those of 2024 excluded', [`not ${year(2024)}`]],
    ['list all features not in v1.30', ['not release = v1.30']],
    ['list all features except in v1.30', ['not release = v1.30']],
    ['list all features other than v1.30', ['not release = v1.30']],
    ['list all features except v1.29 and v1.30', ['(not release = v1.29 and not release = v1.30)']],
    ['list all manuscripts of poetry that are not closed', ['(scope.team = poetry and not status = closed)']],
  ]);
});

describe('[B4] [B6] an ambiguous negation makes no condition in', () => {
  table([
    ['list manuscripts not printed in 2024', none],
    ['list manuscripts not improved by anyone of the maps team', none],
    ['list everything not updated since 2024', none],
    ['list manuscripts that do not mention MS-104', none],
    ['what is not linked to "The Long Winter"', none],
  ]);
});

describe('[B4] [B6] a negation ends with its clause in', () => {
  table([
    ['list manuscripts that are not closed, in 2024', [`(${year(2024)} and not status = closed)`]],
    ['list all readings not in 2023 but in 2024', [`(not ${year(2023)} and ${year(2024)})`]],
    ['list all readings not only in 2023 but also in 2024', [year(2023), year(2024)]],
  ]);
});

describe('[B4] [B6] each time of a list makes a condition in', () => {
  table([
    ['Compare readings in 2023 and 2024', [year(2023), year(2024)]],
    ['compare readings in 2023 vs 2024 vs 2026', [year(2023), year(2024), year(2026)]],
    ['compare readings in 2023 with 2024', [year(2023), year(2024)]],
    ['list all readings in 2020 and 2030', [year(2020), year(2030)]],
    ['list all readings in 2020, 2022, and 2024', [year(2020), year(2022), year(2024)]],
    [
      'list all readings in March and April',
      [
        '(occurredAt >= 2025-03 and occurredAt < 2025-04)',
        '(occurredAt >= 2025-04 and occurredAt < 2025-05)',
      ],
    ],
    ['list all readings in 2020 to 2022', [year(2020, 2023)]],
    ['list all features in v1.28 to v1.30', ['release in v1.28,v1.29,v1.30']],
    [
      'list manuscripts signed in 2021 and 2023',
      ['(signed >= 2021 and signed < 2022)', '(signed >= 2023 and signed < 2024)'],
    ],
    ['list all readings in May 2023 and June', ['(occurredAt >= 2023-05 and occurredAt < 2023-06)']],
    ['list all readings in 2024 with 2000 guests', [year(2024)]],
  ]);
});

describe('[B4] [B6] words that compare a number make a condition in', () => {
  table([
    ['list all manuscripts with priority above 30', ['priority > 30']],
    ['list all manuscripts with a priority of at least 40', ['priority >= 40']],
    ['list all manuscripts with priority between 20 and 40', ['(priority >= 20 and priority <= 40)']],
    ['list all manuscripts with priority over 10 and under 40', ['(priority > 10 and priority < 40)']],
    ['list all manuscripts with priority below 20 or above 40', ['priority < 20', 'priority > 40']],
    ['list all manuscripts with priority not above 30', ['priority <= 30']],
    ['list all manuscripts with priority >= 30', ['priority >= 30']],
    ['list all manuscripts with priority 30 or more', ['priority >= 30']],
    ['list all manuscripts with n more than 50', ['n > 50']],
    ['list all manuscripts with n below 45', ['n < 45']],
    ['list all manuscripts with n between 40 and 45', ['(n >= 40 and n <= 45)']],
    ['list all manuscripts with at least 50 n', ['n >= 50']],
    ['list all manuscripts with priority 30', ['priority = 30']],
    ['list all manuscripts above priority 30', none],
    ['list at most 20 priority manuscripts', none],
    ['list all priority manuscripts with more than 30 pages', none],
    ['list all manuscripts with shelf above 3', none],
    ['list all manuscripts with priority not between 20 and 40', none],
    ['list all manuscripts by priority since 2024', ['occurredAt >= 2024']],
  ]);
});
