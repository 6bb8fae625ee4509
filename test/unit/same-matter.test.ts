import { describe, expect, it } from 'vitest';
import type { Layer, Scope } from '../../src/domain/layers.ts';
import { restates, sentenceOf } from '../../src/domain/ranking/restates.ts';
import { SameMatter, type Compared } from '../../src/domain/ranking/same-matter.ts';
import { MULTILINGUAL_E5_SMALL } from '../../src/domain/ranking/scales.ts';
import { tellsChange } from '../../src/domain/ranking/tells-change.ts';
import { termCounts } from '../../src/domain/text/tokens.ts';

interface Told {
  readonly text: string;
  readonly day: number;
  /** Direction of its vector in degrees: texts on one matter have nearly the same. */
  readonly at: number;
  readonly layer?: Layer;
  readonly scope?: Scope;
}

function compared({ text, day, at, layer = 'user', scope = { user: 'ada' } }: Told): Compared {
  const angle = (at * Math.PI) / 180;
  return {
    id: text,
    text,
    relevance: 0.01,
    layer,
    scope,
    time: day * 86_400_000,
    substance: {
      vector: Float32Array.of(Math.cos(angle), Math.sin(angle)),
      terms: new Set(termCounts(text).counts.keys()),
    },
  };
}

const others = [
  { text: 'The bins are collected by the council', day: 1, at: 60 },
  { text: 'Grandma likes long letters', day: 2, at: 70 },
  { text: 'The piano was tuned by Herr Balint', day: 3, at: 85 },
].map(compared);
const berlin = compared({ text: 'I live in Berlin.', day: 1, at: 0 });
const lisbon = compared({ text: 'I moved to Lisbon last week.', day: 50, at: 4 });

function among(found: readonly Compared[], question = 'Where do I live?'): SameMatter<Compared> {
  return new SameMatter([...found, ...others], { question, scale: MULTILINGUAL_E5_SMALL });
}

const isRestated = (one: string, other: string, question: string) =>
  restates(sentenceOf(one), sentenceOf(other), sentenceOf(question));

describe('a newer memory of the same matter', () => {
  it('[A20] is shown beside the older one, and replaces it if it tells a change', () => {
    const matter = among([berlin, lisbon]);
    expect(matter.newerThan(berlin)[0]).toBe(lisbon);
    expect(matter.replaces(lisbon, berlin)).toBe(true);
    expect(others.some((other) => matter.replaces(other, berlin))).toBe(false);
  });

  it('[A20] is not shown if it is refuted or a long document, or has nothing in common, however few others there are', () => {
    expect(among([berlin, { ...lisbon, isRefuted: true }]).newerThan(berlin)).toEqual([]);
    const long = { ...lisbon, text: `${lisbon.text} ${'We saw much of the town. '.repeat(50)}` };
    expect(among([berlin, long]).newerThan(berlin)).toEqual([]);
    const piano = compared({ text: 'The piano was tuned yesterday', day: 50, at: 85 });
    const matter = new SameMatter([berlin, piano], { question: 'Where?', scale: MULTILINGUAL_E5_SMALL });
    expect(matter.newerThan(berlin)).toEqual([]);
  });

  it('[A20] never is an older one', () => {
    const matter = among([berlin, lisbon]);
    expect(matter.newerThan(lisbon)).toEqual([]);
    expect(matter.replaces(berlin, lisbon)).toBe(false);
  });

  it.each<[string, Partial<Told>]>([
    ['of another person', { scope: { user: 'bob' } }],
    ['of another layer', { layer: 'project', scope: { user: 'ada', project: 'move' } }],
    ['of another project', { scope: { user: 'ada', project: 'move' } }],
  ])('[A20] is not one %s', (_, place) => {
    const other = compared({ text: lisbon.text, day: 50, at: 4, ...place });
    const matter = among([berlin, other]);
    expect(matter.newerThan(berlin)).toEqual([]);
    expect(matter.replaces(other, berlin)).toBe(false);
  });

  it('[A20] is not another turn of the session', () => {
    const scope = { user: 'ada', session: 's' };
    const [one, two] = [berlin, lisbon].map(({ text, time }) =>
      compared({ text, day: time / 86_400_000, at: 0, layer: 'session', scope }),
    ) as [Compared, Compared];
    expect(among([one, two]).newerThan(one)).toEqual([]);
    expect(among([one, two]).replaces(two, one)).toBe(false);
  });

  it('[A20] does not replace it by another statement about the same subject, or by a plan', () => {
    const room = compared({ text: 'The printer is in room 1.07.', day: 1, at: 0 });
    const toner = compared({ text: 'The printer needs magenta toner.', day: 50, at: 4 });
    expect(among([room, toner]).replaces(toner, room)).toBe(false);
    const plan = compared({ text: 'Maybe I should have moved to Lisbon last week?', day: 50, at: 4 });
    expect(among([berlin, plan]).replaces(plan, berlin)).toBe(false);
  });

  it('[A20] does not replace what the question names by an identifier', () => {
    const claim = compared({ text: 'Bike stolen, claim WM-2207', day: 1, at: 0 });
    const paid = compared({ text: 'The insurance paid for the bike yesterday', day: 50, at: 4 });
    expect(among([claim, paid]).replaces(paid, claim)).toBe(true);
    expect(among([claim, paid], 'What is claim WM-2207?').replaces(paid, claim)).toBe(false);
  });

  it('[A20] does not replace a long text, which also says what still holds', () => {
    const long = compared({
      text: `I live in Berlin. ${'The flat has a garden. '.repeat(15)}`,
      day: 1,
      at: 0,
    });
    expect(among([long, lisbon]).replaces(lisbon, long)).toBe(false);
  });

  it('[A20] does not replace it if several others are nearer', () => {
    const nearer = [1, 2].map((at) => compared({ text: `Berlin, note ${at}`, day: 20, at }));
    expect(among([berlin, lisbon, ...nearer]).replaces(lisbon, berlin)).toBe(false);
  });

  it('[A20] without vectors only restates it', () => {
    const bare = ({ substance: { terms }, ...one }: Compared): Compared => ({ ...one, substance: { terms } });
    const osaka = bare(compared({ text: 'Elena lives in Osaka.', day: 1, at: 0 }));
    const tokyo = bare(compared({ text: 'Elena lives in Tokyo.', day: 9, at: 0 }));
    const matter = among([osaka, tokyo, bare(lisbon)]);
    expect(matter.replaces(tokyo, osaka)).toBe(true);
    expect(matter.replaces(bare(lisbon), osaka)).toBe(false);
    expect(matter.newerThan(osaka)).toEqual([]);
  });
});

describe('a restated sentence', () => {
  it.each([
    ['Elena lives in Osaka.', 'Elena lives in Berlin.'],
    ['The release manager is Priya.', 'The release manager is Jonas.'],
    ['The hotline is 555-0100.', 'The hotline is 555-0199.'],
    ['Der Kurs beginnt um 18:30 Uhr.', 'Der Kurs beginnt um 19:00 Uhr.'],
  ])('[A20] has another value: %s %s', (one, other) => {
    expect(isRestated(one, other, 'What is it now?')).toBe(true);
  });

  it.each([
    ['Our dentist is Dr Kim.', 'Our dentist opens at nine.'],
    ['The API does not support XML.', 'The API supports JSON.'],
    ['The team lunch is at Rosa’s.', 'The team lunch is paid by the company.'],
    ['Elena lives in Osaka.', 'Jonas lives in Osaka.'],
    ['Elena lives in Osaka.', 'Elena lives in Osaka.'],
  ])('[A20] is not: %s %s', (one, other) => {
    expect(isRestated(one, other, 'What is it now?')).toBe(false);
  });

  it('[A20] is about another thing if the question names the value', () => {
    const [one, other] = ['Room 101 has a projector', 'Room 102 has a projector'];
    expect(isRestated(one, other, 'Where is a projector?')).toBe(true);
    expect(isRestated(one, other, 'Does room 101 have a projector?')).toBe(false);
  });
});

describe('a text that tells a change', () => {
  it.each([
    'I moved to Lisbon last week.',
    'Clara and I broke up.',
    'All pipelines run on GitHub Actions since Monday.',
    'Seit gestern gibt es die Nachtschicht.',
    'Herr Nolte hat zum 31. Juli gekündigt.',
    'La concierge a changé le code hier.',
    'Desde esta semana Yusuf atiende a Cresta.',
    '設定を更新しました。',
    'small fix: it is Lene, with an e',
  ])('[A20] %s', (text) => {
    expect(tellsChange(text)).toBe(true);
  });

  it.each([
    'The printer needs magenta toner.',
    'Our dentist opens at nine.',
    'The team lunch is paid by the company.',
    'Maybe we should move to Lisbon?',
    'Der Drucker braucht Toner.',
  ])('[A20] not: %s', (text) => {
    expect(tellsChange(text)).toBe(false);
  });
});
