import { beforeAll, describe, expect, it } from 'vitest';
import type { Client, Json } from '../support/api.ts';
import { newTenant } from '../support/tenant.ts';
import { useSharedServer } from '../support/use-server.ts';

// The bundled model: what is told in other words is recognised by meaning.
const server = useSharedServer('multilingual');

/** Short unrelated notes, among which the facts have to be found. */
const others = Array.from({ length: 12 }, (_, index) => ({
  content: `Shelf ${index} in aisle ${index} holds part number P-${1000 + index * 7}.`,
  layer: 'company',
}));
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

let admin: Client;
let position: string;
let answers: (question: string, more?: Json) => Promise<string[]>;

/** A tenant in which the first text was told 60 days ago and the second one two days ago. */
async function told(older: string, newer: string, more: Json = {}): Promise<Json[]> {
  ({ admin } = await newTenant(server));
  await admin.bulk([...others]);
  const memories: Json[] = [];
  for (const [content, days] of [
    [older, 60],
    [newer, 2],
  ] as const) {
    const stored = await admin.store({ content, layer: 'company', occurredAt: daysAgo(days), ...more });
    memories.push(stored.memory);
    ({ position } = stored);
  }
  answers = async (query, also = {}) => {
    const { body } = await admin.post('/v1/search', {
      query,
      minPosition: position,
      waitMs: 30_000,
      ...also,
    });
    return (body.results as Json[]).map(({ memory }) => memory.content as string);
  };
  return memories;
}

const changed: [question: string, older: string, newer: string][] = [
  ['Where do I live?', 'I live in Berlin.', 'I moved to Lisbon last week.'],
  ['Who is my girlfriend?', 'My girlfriend is called Clara.', 'Clara and I broke up.'],
  [
    'What do we build with?',
    'We build everything with Jenkins.',
    'All pipelines run on GitHub Actions since Monday, the old server is off.',
  ],
  [
    'Who is our largest customer?',
    'Brightwell is our largest customer.',
    'Corvid Foods is our largest customer now.',
  ],
  ['Where does Elena live?', 'Elena lives in Osaka.', 'Elena lives in Berlin.'],
  ['Who is the release manager?', 'The release manager is Priya.', 'The release manager is Jonas.'],
  ['What is the number of the hotline?', 'The hotline is 555-0100.', 'The hotline is 555-0199.'],
  [
    'Wie viel kostet die Miete?',
    'Die Miete beträgt 900 Euro im Monat.',
    'Die Miete wurde zum 1. Juni auf 950 Euro erhöht.',
  ],
  ['Do I drink coffee?', 'I drink three coffees a day.', 'I gave up coffee yesterday, only tea from now on.'],
];

describe('a fact that changed', () => {
  it.each(changed)(
    '[A20] [D4] is told with the newer statement first: %s',
    async (question, older, newer) => {
      await told(older, newer);
      expect((await answers(question))[0]).toBe(newer);
    },
  );

  it('[A20] is told with the newer statement, even if that shares no word with the older', async () => {
    const newer = 'The new MacBook arrived today; I gave the old machine to my brother.';
    await told('My laptop is a ThinkPad.', newer);
    expect(await answers('Which laptop do I have?')).toContain(newer);
  });

  it('[A20] is told as it was if the question asks for the past', async () => {
    await told('I live in Berlin.', 'I moved to Lisbon last week.');
    expect((await answers('Where did I previously live?'))[0]).toBe('I live in Berlin.');
  });

  it('[A20] is not completed if the request has a threshold, which alone decides', async () => {
    await told('I live in Berlin.', 'I moved to Lisbon last week.');
    const asked = { query: 'Where do I live?', threshold: 0.75, minPosition: position, waitMs: 30_000 };
    const { body } = await admin.post('/v1/search', asked);
    expect(body.results).not.toHaveLength(0);
    for (const { score } of body.results) expect(score).toBeGreaterThanOrEqual(0.75);
  });

  it('[A20] [E8] is told in a context with its days', async () => {
    await told('I live in Berlin.', 'I moved to Lisbon last week.');
    const { body } = await admin.post('/v1/context', {
      query: 'Where do I live?',
      tokenBudget: 200,
      minPosition: position,
      waitMs: 30_000,
    });
    expect(body.text).toMatch(
      new RegExp(
        `\\(${daysAgo(2).slice(0, 10)}\\) I moved to Lisbon last week\\.[^]*\\(${daysAgo(60).slice(0, 10)}\\) I live in Berlin\\.`,
      ),
    );
  });
});

describe('another statement about the same subject', () => {
  it.each([
    ['Where is the printer?', 'The printer is in room 1.07.', 'The printer needs magenta toner.'],
    ['Who is our dentist?', 'Our dentist is Dr Kim.', 'Our dentist opens at nine.'],
    ['What does the API not support?', 'The API does not support XML.', 'The API supports JSON.'],
    [
      'When does Milo drink coffee?',
      'Milo drinks coffee every morning.',
      'Milo drinks no coffee after 3 pm.',
    ],
    ['Where is the team lunch?', "The team lunch is at Rosa's.", 'The team lunch is paid by the company.'],
    ["What colour is Ana's car?", "Ana's car is a blue Fiat.", "Ana's car has a new battery."],
  ])('[A20] [D4] does not stand before the answer: %s', async (question, answer, other) => {
    await told(answer, other);
    expect((await answers(question))[0]).toBe(answer);
    await told(other, answer);
    expect((await answers(question))[0]).toBe(answer);
  });
});

describe('a memory that its writer calls outdated', () => {
  beforeAll(async () => {
    const [, wrong] = await told(
      'The gas valve is behind the boiler.',
      'The gas valve is behind the fridge.',
    );
    const path = `/v1/memories/${wrong!.id}/feedback`;
    ({ position } = (await admin.post(path, { kind: 'inaccurate' })).body);
  });

  it('[A20] [C12] stands behind what speaks of the same matter', async () => {
    const results = await answers('Where is the gas valve?');
    expect(results[0]).toBe('The gas valve is behind the boiler.');
  });
});
