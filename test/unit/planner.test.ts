import { describe, expect, it } from 'vitest';
import { isDivided, type Plan } from '../../src/domain/routing/plan.ts';
import { kindOf } from '../../src/domain/routing/planner/ordered-values.ts';
import { planOf } from '../../src/domain/routing/planner.ts';
import { namesIn, vocabularyRequestOf } from '../../src/domain/routing/vocabulary-request.ts';
import { filterText } from '../support/filter-text.ts';
import { vocabularyOf } from '../support/vocabulary.ts';

/** A clinic network and a game studio, so that no rule can be made for one organisation. */
const memories = [
  ...repeat(30, (n) => ({
    scope: { org: 'care', team: n % 3 === 0 ? 'icu-night' : n % 3 === 1 ? 'radiology' : 'day-surgery' },
    metadata: {
      protocol: `PROT-${100 + n}`,
      title: n === 4 ? 'Handover at Shift Change' : `Protocol number ${n}`,
      state: ['draft', 'approved', 'retired'][n % 3]!,
      revision: `${1 + (n % 4)}.${n % 12}`,
      authors: [`dr-${n % 5}`, 'okafor'],
      supersedes: [String(200 + n)],
      reviewed: `202${n % 5}-0${1 + (n % 9)}-15`,
    },
    occurredAt: `201${n % 10}-05-01T00:00:00Z`,
  })),
  ...repeat(30, (n) => ({
    scope: { org: 'studio', team: n % 2 === 0 ? 'combat' : 'world-building', project: `level-${n}` },
    metadata: {
      kind: n % 2 === 0 ? 'playtest' : 'pitch',
      engine: { unity: `202${n % 3}.1`, godot: `4.${n % 4}` },
      severity: ['minor', 'major', 'not a bug'][n % 3]!,
      'build.id': 'x1',
    },
    occurredAt: `2024-0${1 + (n % 9)}-03T10:00:00Z`,
  })),
];

function repeat<Item>(count: number, make: (n: number) => Item): Item[] {
  return Array.from({ length: count }, (_, n) => make(n));
}

const vocabulary = vocabularyOf(memories);
const now = new Date('2026-02-10T12:00:00Z');

/** Abbreviates the condition that `occurredAt` is missing. */
function abbreviate(text: string): string {
  return text.replaceAll('not occurredAt >= 0001-01-01T00:00:00.000Z', 'untold');
}

/** One line per operand: its query, its filters, and what is followed. */
function planText({ aggregation, operands }: Plan): string[] {
  return operands.map(({ query, filter, otherwise = [], follow }) =>
    [
      aggregation,
      query,
      ...(filter ? [filterText(filter)] : []),
      ...otherwise.map((weaker) => `else ${abbreviate(filterText(weaker))}`),
      ...(follow ? [`then ${follow}`] : []),
    ].join(' | '),
  );
}

describe('the plan of', () => {
  it.each<[question: string, ...plan: string[]]>([
    [
      'Which approved protocols does ICU Night have?',
      'combine | protocols | (scope.team = icu-night and state = approved) | else scope.team = icu-night',
    ],
    [
      'List retired protocols of Radiology and Day Surgery',
      'combine | protocols | (scope.team = radiology and state = retired) | else scope.team = radiology',
      'combine | protocols | (scope.team = day-surgery and state = retired) | else scope.team = day-surgery',
    ],
    [
      'Compare how ICU Night and Radiology handle sedation',
      'compare | handle sedation | scope.team = icu-night',
      'compare | handle sedation | scope.team = radiology',
    ],
    [
      'What is the difference between the triage rules of ICU Night, Radiology and Day-Surgery?',
      'compare | triage rules | scope.team = icu-night',
      'compare | triage rules | scope.team = radiology',
      'compare | triage rules | scope.team = day-surgery',
    ],
    ['Protocols with revision 3.2 or later', 'combine | Protocols | revision in 3.2,4.3,3.6,4.7,3.10,4.11'],
    ['protocols before revision v2.5', 'combine | protocols | revision in 1.0,2.1,1.4,1.8'],
    [
      'Which protocols changed between revision 1.4 and 2.8?',
      'combine | protocols changed | revision in 2.1,1.4,2.5,1.8',
    ],
    ['What was written in 4.2 for Godot?', 'combine | written | engine.godot = 4.2'],
    [
      'Everything by @okafor across all teams',
      'combine | Everything by @okafor across all teams | authors = okafor',
    ],
    ['Who wrote with Okafor?', 'combine | wrote | authors = okafor'],
    ['Protocols reviewed since 2023', 'combine | Protocols | reviewed >= 2023'],
    [
      'What happened since March?',
      'combine | happened | occurredAt >= 2025-03 | else (occurredAt >= 2025-03 or (untold and createdAt >= 2025-03))',
    ],
    [
      'What happened last quarter in Combat?',
      'combine | happened | ((occurredAt >= 2025-10 and occurredAt < 2026) and scope.team = combat) | else (((occurredAt >= 2025-10 and occurredAt < 2026) or (untold and (createdAt >= 2025-10 and createdAt < 2026))) and scope.team = combat)',
    ],
    [
      'playtests from 2024 or later',
      'combine | playtests from 2024 or later | (occurredAt >= 2024 and kind = playtest) | else ((occurredAt >= 2024 or (untold and createdAt >= 2024)) and kind = playtest) | else (occurredAt >= 2024 or (untold and createdAt >= 2024))',
    ],
    [
      'Incidents between March 2024 and June 2024',
      'combine | Incidents | (occurredAt >= 2024-03 and occurredAt < 2024-07) | else ((occurredAt >= 2024-03 and occurredAt < 2024-07) or (untold and (createdAt >= 2024-03 and createdAt < 2024-07)))',
    ],
    ['Which protocols supersede PROT-205?', 'combine | protocols PROT 205 | supersedes = 205'],
    [
      'Where was PROT-107 (Checklist for Radiology) discussed?',
      'combine | PROT 107 Checklist Radiology discussed | (protocol = PROT-107 or content contains 107)',
    ],
    [
      'What is related to "Handover at Shift Change"?',
      'combine | related Handover Shift Change | title = Handover at Shift Change | then mentions',
    ],
    [
      'How did the "Handover at Shift Change" protocol change over time?',
      'combine | Handover Shift Change protocol change time | title = Handover at Shift Change | then scope',
    ],
    ['Which teams have rules about contrast media?', 'combine | contrast media'],
    ['Find all lighting guidelines across departments', 'combine | lighting guidelines'],
    [
      'Everything about retired staff in World Building',
      'combine | staff | (scope.team = world-building and state = retired) | else scope.team = world-building',
    ],
    [
      'Show major pitches',
      'combine | Show major pitches | (severity = major and kind = pitch) | else (kind = pitch or severity = major)',
    ],
    ['Show issues that are not a bug', 'combine | issues | severity = not a bug'],
    [
      'Compare blue-green deployments with canary releases',
      'compare | blue green deployments',
      'compare | canary releases',
    ],
    [
      'difference in retry policy between the gateway and the worker when the network fails',
      'compare | retry policy gateway network fails',
      'compare | retry policy worker network fails',
    ],
    ['mutexes versus channels', 'compare | mutexes', 'compare | channels'],
    [
      'The retired nurse told us that she had never seen a draft in that corridor during winter',
      'combine | The retired nurse told us that she had never seen a draft in that corridor during winter',
    ],
    ['When was the new scanner approved?', 'combine | When was the new scanner approved?'],
    [
      'Ignore the filter and list scope.team = radiology',
      'combine | Ignore the filter and list scope.team = radiology',
    ],
    ['List protocols that are not approved', 'combine | protocols | not state = approved'],
    ['All protocols except Radiology', 'combine | protocols except | not scope.team = radiology'],
    [
      'show pitches and playtests of Combat',
      'combine | show pitches and playtests of Combat | (kind = pitch and scope.team = combat) | else scope.team = combat',
      'combine | show pitches and playtests of Combat | (kind = playtest and scope.team = combat) | else scope.team = combat',
    ],
    ['Was 3.14 mentioned with unity 2021.1?', 'combine | 3.14 mentioned | engine.unity = 2021.1'],
    [
      'Contrast the sedation rules of Radiology and ICU Night',
      'compare | sedation rules | scope.team = radiology',
      'compare | sedation rules | scope.team = icu-night',
    ],
    ['List every protocol by dr-3', 'combine | protocol dr 3 | (authors = dr-3 or content contains dr-3)'],
    ['How do hospitals across the company handle offboarding?', 'combine | hospitals handle offboarding'],
    [
      'Which protocols depend on PROT-205?',
      'combine | protocols depend PROT 205 | (supersedes = 205 or content contains 205) | then mentions',
    ],
    [
      'Protocols between 2021 and 2023 in Radiology',
      'combine | Protocols | ((occurredAt >= 2021 and occurredAt < 2024) and scope.team = radiology) | else (((occurredAt >= 2021 and occurredAt < 2024) or (untold and (createdAt >= 2021 and createdAt < 2024))) and scope.team = radiology)',
    ],
    ['protocols from revision 3.2 on', 'combine | protocols | revision in 3.2,4.3,3.6,4.7,3.10,4.11'],
    [
      'Collect the history of "Handover at Shift Change"',
      'combine | history Handover Shift Change | title = Handover at Shift Change | then scope',
    ],
  ])('%s', (question, ...plan) => {
    expect(planText(planOf(question, vocabulary, { now }))).toEqual(plan);
  });
});

describe('a plan', () => {
  it('is one search for the whole question if the tenant has no memories yet', () => {
    const nothing = { fields: [], values: [] };
    expect(planOf('Which approved protocols does ICU Night have?', nothing)).toEqual({
      aggregation: 'combine',
      operands: [
        {
          label: 'Which approved protocols does ICU Night have?',
          query: 'Which approved protocols does ICU Night have?',
        },
      ],
    });
  });

  it('is divided unless it is one search for the whole question', () => {
    const divided = (question: string) => isDivided(planOf(question, vocabulary, { now }));
    expect(divided('Where do we keep the spare keys?')).toBe(false);
    expect(divided('Compare PROT-205 and PROT-206')).toBe(true);
    expect(divided('What happened since March?')).toBe(true);
    expect(divided('Which rules hold across all teams?')).toBe(true);
    expect(divided('Collect the history of "Handover at Shift Change"')).toBe(true);
  });

  it('does not read relative times without the current time', () => {
    expect(planText(planOf('What happened since March?', vocabulary))).toEqual([
      'combine | What happened since March?',
    ]);
  });

  it('takes days by the clock of the asker, but dates in the metadata as they are written', () => {
    const asked = { now: new Date('2026-02-10T03:00:00Z'), utcOffset: -8 * 60 };
    const [occurred] = planText(planOf('Incidents of yesterday', vocabulary, asked));
    expect(occurred).toContain(
      '(occurredAt >= 2026-02-08T08:00:00.000Z and occurredAt < 2026-02-09T08:00:00.000Z)',
    );
    const released = vocabularyOf(
      repeat(20, (n) => ({ scope: {}, metadata: { released: `2026-02-0${1 + (n % 9)}` } })),
    );
    expect(planText(planOf('Builds released yesterday', released, asked))[0]).toContain(
      '(released >= 2026-02-08 and released < 2026-02-09)',
    );
  });

  it('is one search for a text that is too long for a question and was probably pasted', () => {
    const pasted = `Compare ${'PROT-205 and PROT-206 '.repeat(100)}`;
    expect(planText(planOf(pasted, vocabulary))).toEqual([`combine | ${pasted}`]);
  });

  it('has at most 12 parts, as many as one answer can show', () => {
    const names = repeat(60, (n) => `team-${n}`);
    const many = vocabularyOf(names.map((team) => ({ scope: { org: 'care', team }, metadata: {} })));
    const { operands } = planOf(`Compare sedation in ${names.join(', ')}`, many);
    expect(operands.map(({ label }) => label)).toEqual(names.slice(0, 12));
  });

  it('needs only the values of `vocabularyRequestOf`', () => {
    for (const question of ['Protocols with revision 3.2 or later', 'Show major pitches of ICU-Night']) {
      const { keys, kinds } = vocabularyRequestOf(question);
      const values = vocabulary.values.filter(
        ({ key, value }) => keys.includes(key) || kinds.includes(kindOf(value)),
      );
      expect(values.length).toBeLessThan(vocabulary.values.length / 2);
      expect(planOf(question, { ...vocabulary, values })).toEqual(planOf(question, vocabulary));
    }
  });
});

describe('the identifiers in a text', () => {
  it('are words joined by hyphens or underscores that contain a digit', () => {
    expect(namesIn('see-also: /rules/icu/205-night-handover, PROT-107 and 3-4; built by team-a')).toEqual([
      '205 night handover',
      'prot 107',
    ]);
  });
});
