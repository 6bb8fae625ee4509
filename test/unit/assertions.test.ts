import { describe, expect, it } from 'vitest';
import { detectInconsistencies } from '../../src/domain/consistency/detect-inconsistencies.ts';
import type { ComparableMemory } from '../../src/domain/consistency/comparable-memory.ts';
import type { Difference } from '../../src/domain/consistency/verdict.ts';
import { SupersessionGraph } from '../../src/domain/links/supersession-graph.ts';

const noLinks = { supersessions: new SupersessionGraph([]), contradicts: [] };

function judged(
  left: string,
  right: string,
  fields: readonly [Partial<ComparableMemory>, Partial<ComparableMemory>],
) {
  const statement = (id: string, content: string, more: Partial<ComparableMemory>): ComparableMemory => ({
    id,
    content,
    scope: { user: 'ann' },
    metadata: {},
    ...more,
  });
  return detectInconsistencies([statement('a', left, fields[0]), statement('b', right, fields[1])], noLinks);
}

function differences(left: string, right: string, fields: Partial<ComparableMemory> = {}, others = fields) {
  const { contradictions, supersessions } = judged(left, right, [fields, others]);
  return [...contradictions, ...supersessions].flatMap(({ reasons }) =>
    reasons.map((reason) => (reason.code === 'wording' ? reason.difference : reason.code)),
  );
}

const found: readonly (readonly [Difference, string, string])[] = [
  ['negation', 'Alice is vegetarian.', 'Alice is not vegetarian.'],
  ['negation', 'Alice is a vegetarian', "Alice isn't a vegetarian"],
  ['negation', 'The API uses JWT', 'The API does not use JWT'],
  ['negation', 'The API uses JWT', 'The API doesn’t use JWT'],
  ['negation', 'Mia likes tea.', "Mia doesn't like tea."],
  ['negation', 'Bob carries a phone', 'Bob does not carry a phone'],
  ['negation', 'The API has a limit.', 'The API has no limit.'],
  ['negation', 'The API has a limit.', 'The API does not have a limit.'],
  ['negation', 'Alice works at Initech.', 'Alice no longer works at Initech.'],
  ['negation', 'Bob can swim.', 'Bob cannot swim.'],
  ['negation', 'Deploys are always reviewed.', 'Deploys are never reviewed.'],
  ['negation', 'Deploys are always reviewed.', 'Deploys are not reviewed.'],
  ['negation', 'Alice always drinks tea', 'Alice never drinks tea'],
  ['negation', 'I eat meat.', 'I do not eat meat.'],
  ['date', 'The meeting is on Monday.', 'The meeting is on Tuesday.'],
  ['date', 'The release is on 3 May 2024.', 'The release is on 4 May 2024.'],
  ['date', 'The release is on May 3, 2024.', 'The release is on June 3, 2024.'],
  ['date', 'The deadline is 2024-05-03', 'The deadline is 2024-06-03'],
  ['date', 'The deadline is 2024-05-03', 'The deadline is 4 May 2024'],
  ['date', 'Mia was born in 1990', 'Mia was born in 1991'],
  ['date', 'The sprint starts on Monday', 'The sprint starts on Friday'],
  ['number', 'The port is 8080', 'The port is 9090'],
  ['number', 'The server port is 8080.', 'Server port is 9090.'],
  ['number', 'Alice is 30.', 'Alice is 31.'],
  ['number', 'The timeout is set to 30 seconds', 'The timeout is set to 60 seconds'],
  ['number', 'The meeting is at 10:00', 'The meeting is at 11:30'],
  ['number', 'The team has five members.', 'The team has 6 members.'],
  ['name', 'Mia lives in Berlin.', 'Mia lives in Munich.'],
  ['name', 'Mia lives in Berlin', 'Mia lives in New Orleans'],
  ['name', 'Mia lives in France.', 'Mia lives in Germany.'],
  ['name', 'I live in Berlin.', 'I live in Munich.'],
  ['name', 'Acme is based in Oslo', 'Acme is based in Bergen'],
  ['name', 'Alice works at Initech.', 'Alice works at Globex.'],
  ['name', "Alice's manager is Bob.", "Alice's manager is Carl."],
  ['name', 'The capital of Atlantis is Poseidonia', 'The capital of Atlantis is Basileia'],
  ['name', 'The default language is English', 'The default language is German'],
  ['name', 'Mia was born in Paris', 'Mia was born in Lyon'],
  ['word', 'Dark mode is enabled.', 'Dark mode is disabled.'],
  ['word', 'Dark mode is enabled for all users.', 'Dark mode is disabled for all users.'],
  ['word', 'The light is on', 'The light is off'],
  ['word', 'The server is up.', 'The server is down.'],
  ['word', 'Dogs are allowed in the office.', 'Dogs are forbidden in the office.'],
  ['word', 'The flag is set to true', 'The flag is set to false'],
  ['word', 'The shop is open.', 'The shop is closed.'],
  ['word', 'The data is encrypted', 'The data is unencrypted'],
  ['word', 'The server uses PostgreSQL.', 'The server uses MySQL.'],
  ['word', 'The user prefers dark mode.', 'The user prefers light mode.'],
  ['word', 'The project uses tabs', 'The project uses spaces'],
  ['word', 'The sky is blue.', 'The sky is green.'],
];

const apart: readonly (readonly [string, string, string])[] = [
  ['the same number', 'Backups are kept for 30 days.', 'Backups are kept for thirty days.'],
  ['the same number', 'The limit is 1,000', 'The limit is 1000'],
  ['the same number', 'The ratio is 1.50', 'The ratio is 1.5'],
  ['the same number', 'The nightly export keeps 1,000 files', 'The nightly export keeps 1000 files'],
  ['the same time', 'The call is at 10am', 'The call is at 10:00'],
  ['the same date', 'The release is on 3 May 2024.', 'The release is on 2024-05-03.'],
  ['the same date', 'The release is on 3 May 2024.', 'The release is on May 3rd, 2024.'],
  ['the same date, less exactly', 'The release is in May 2024.', 'The release is on 3 May 2024.'],
  ['a date that may be that day', 'The release is on Friday.', 'The release is on 3 May 2024.'],
  ['the same thing', 'The server uses Postgres.', 'The server uses PostgreSQL.'],
  ['the same state', 'The door is closed.', 'The door is shut.'],
  ['the same state', 'The feature is not enabled.', 'The feature is disabled.'],
  ['two likes', 'Mia likes tea.', 'Mia likes coffee.'],
  ['two likes', 'Mia is not allergic to nuts.', 'Mia is not allergic to milk.'],
  ['two things', 'Alice has two cats', 'Alice has three dogs'],
  ['two workplaces', 'Feature X is enabled in staging', 'Feature X is disabled in production'],
  ['the same employer', 'Mia works at Acme', 'Mia works at Acme Corp'],
  ['headings', 'Term ends on Monday:', 'Term ends on Tuesday:'],
  ['two steps', 'Step 1 is done.', 'Step 2 is done.'],
  ['two steps', 'Step 1 is done.', 'Step 2 is not done.'],
  ['two acquaintances', 'Anna met Bob.', 'Anna met Carl.'],
  ['two subjects', 'Alice works on search.', 'Bob works on search.'],
  ['two subjects', 'Alice is vegetarian.', 'Bob is not vegetarian.'],
  ['two subjects', 'The staging port is 8080', 'The test port is 9090'],
  ['two requests', 'Call Bob.', 'Call Ann.'],
  ['two references', 'see issue 12', 'see issue 13'],
  ['two friends', "Alice's friend is Bob.", "Alice's friend is Carl."],
  ['two traits', 'Alice is Canadian.', 'Alice is Jewish.'],
  ['two traits', 'Alice is tall.', 'Alice is kind.'],
  ['a place in a place', 'Mia lives in Berlin.', 'Mia lives in Germany.'],
  ['a place in a place', 'Mia lives in Germany.', 'Mia lives in Europe.'],
  ['a place in a place', 'Mia lives in Austin.', 'Mia lives in Texas.'],
  ['a place more exactly', 'Mia lives in Berlin.', 'Mia lives in Berlin Mitte.'],
  ['a place of then', 'Mia lived in Berlin.', 'Mia lived in Munich.'],
  ['several people', 'Students live in Berlin.', 'Students live in Munich.'],
  ['two tools', 'The project uses TypeScript.', 'The project uses React.'],
  ['two stores', 'The server uses PostgreSQL.', 'The server uses Redis.'],
  ['some and others', 'Some users are admins.', 'Some users are not admins.'],
  ['some and others', 'A server is up.', 'A server is down.'],
  ['some and others', 'Two servers are up.', 'Two servers are down.'],
  ['some and others', 'One of the servers is up.', 'One of the servers is down.'],
  ['who knows what', 'It is enabled.', 'It is disabled.'],
  ['who knows what', 'This is on.', 'This is off.'],
  ['who knows whom', 'He is vegetarian.', 'He is not vegetarian.'],
  ['then and now', 'Alice was vegetarian.', 'Alice is not vegetarian.'],
  ['then and now', 'The API used JWT.', 'The API does not use JWT.'],
  ['then and now', 'Alice always used vim.', 'Alice does not use vim.'],
  ['two times', 'The door was open.', 'The door was closed.'],
  ['two days', 'The shop is open today.', 'The shop is closed today.'],
  ['what may be', 'Bob may come.', 'Bob may not come.'],
  ['what is at times', 'Bob is sometimes late.', 'Bob is sometimes not late.'],
  ['a condition', 'If the shop is open we go.', 'If the shop is not open we go.'],
  ['questions', 'Is the port 8080?', 'Is the port 9090?'],
  ['questions', 'Which port is 8080?', 'Which port is 9090?'],
  ['bounds', 'The limit is at least 5', 'The limit is at least 6'],
  ['several values', 'The ports are 80 and 443', 'The ports are 80 and 8443'],
  ['several values', 'Meetings are on Monday', 'Meetings are on Tuesday'],
  ['a choice', 'The meeting is on Monday or Friday', 'The meeting is on Tuesday or Friday'],
  ['other units', 'The limit is 1 hour', 'The limit is 60 minutes'],
  ['kinds of a thing', 'Apples are red.', 'Apples are green.'],
  ['kinds of a thing', 'An apple is red.', 'An apple is green.'],
  ['more than one sentence', 'Bob is here. Alice is out.', 'Bob is here. Alice is not out.'],
];

describe('short assertions', () => {
  it.each(found)('[A14] contradict each other by a %s: %s %s', (difference, left, right) => {
    expect(differences(left, right)).toEqual([difference]);
    expect(differences(right, left)).toEqual([difference]);
  });

  it.each(apart)('[A14] of %s can both be true: %s %s', (_, left, right) => {
    expect(differences(left, right)).toEqual([]);
    expect(differences(right, left)).toEqual([]);
  });

  it('[A14] in the first person are compared only for the same user and speaker', () => {
    const pair = ['I live in Berlin.', 'I live in Munich.'] as const;
    const said = (speaker: string) => ({ metadata: { speaker } });
    expect(differences(...pair, said('ann'), said('ann'))).toEqual(['name']);
    expect(differences(...pair, said('ann'), said('bob'))).toEqual([]);
    expect(differences(...pair, { scope: {} })).toEqual([]);
    expect(differences(...pair, { scope: { user: 'ann' } }, { scope: { user: 'bob' } })).toEqual([]);
  });

  it('[A14] supersede each other if a time orders them, and the words are quoted in that order', () => {
    const [later, earlier] = ['2026-06-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'].map((occurredAt) => ({
      occurredAt,
    })) as [Partial<ComparableMemory>, Partial<ComparableMemory>];
    expect(judged('The port is 8080', 'The port is 9090', [later, earlier])).toMatchObject({
      contradictions: [],
      supersessions: [
        { memory: 'b', supersededBy: 'a', confidence: 0.8, reasons: [{ words: ['9090', '8080'] }] },
      ],
    });
  });

  it('[A14] have a lower confidence if both things can be used', () => {
    const confidence = (left: string, right: string) =>
      judged(left, right, [{}, {}]).contradictions[0]!.confidence;
    expect(confidence('The server uses PostgreSQL', 'The server uses MySQL')).toBe(0.5);
    expect(confidence('The shop is open', 'The shop is closed')).toBe(0.8);
  });
});
