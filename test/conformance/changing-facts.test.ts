import { beforeAll, describe, expect, it, vi } from 'vitest';
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

type Pair = readonly [older: string, newer: string];

/** A tenant in whose company layer the first text of each pair was told 60 days ago, and the second one two days ago. */
class Told {
  readonly #admin: Client;
  readonly #ids: ReadonlyMap<string, string>;
  #position: string;

  private constructor(admin: Client, lines: readonly Json[], memories: readonly Json[]) {
    this.#admin = admin;
    this.#ids = new Map(lines.map(({ id }, at) => [memories[at]!.content, id]));
    this.#position = lines.at(-1)!.position;
  }

  static async of(pairs: readonly Pair[]): Promise<Told> {
    const { admin } = await newTenant(server);
    const memories: Json[] = [
      ...others,
      ...pairs.flatMap(([older, newer]) => [
        { content: older, layer: 'company', occurredAt: daysAgo(60) },
        { content: newer, layer: 'company', occurredAt: daysAgo(2) },
      ]),
    ];
    return new Told(admin, await admin.bulk(memories), memories);
  }

  async ask(path: 'search' | 'context', query: string, more: Json = {}): Promise<Json> {
    const asked = { query, minPosition: this.#position, waitMs: 30_000, ...more };
    return (await this.#admin.post(`/v1/${path}`, asked)).body;
  }

  /** The contents that a bare search answers with. */
  async answers(query: string): Promise<string[]> {
    const { results } = await this.ask('search', query);
    return (results as Json[]).map(({ memory }) => memory.content as string);
  }

  async judge(content: string, kind: string): Promise<void> {
    const path = `/v1/memories/${this.#ids.get(content)}/feedback`;
    this.#position = (await this.#admin.post(path, { kind })).body.position;
  }
}

const changed: [question: string, older: string, newer: string][] = [
  ['Where do I live?', 'I live in Berlin.', 'I moved to Lisbon last week.'],
  ['Who is my girlfriend?', 'My girlfriend is called Clara.', 'Clara and I broke up.'],
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

const berlin = 'I live in Berlin.';
const lisbon = 'I moved to Lisbon last week.';
/** Told in other words altogether. */
const retold: [question: string, older: string, newer: string][] = [
  [
    'Which laptop do I have?',
    'My laptop is a ThinkPad.',
    'The new MacBook arrived today; I gave the old machine to my brother.',
  ],
];

describe('a fact that changed', () => {
  let told: Told;
  let ofOthers: Told;

  beforeAll(async () => {
    const pairs = [...retold, ...changed].map(([, ...pair]): Pair => pair);
    const isOfElena = ([older]: Pair) => older.startsWith('Elena');
    told = await Told.of(pairs.filter((pair) => !isOfElena(pair)));
    ofOthers = await Told.of(pairs.filter(isOfElena));
  });

  it.each(changed)('[A20] [D4] is told with the newer statement first: %s', async (question, _, newer) => {
    const asked = question.includes('Elena') ? ofOthers : told;
    expect((await asked.answers(question))[0]).toBe(newer);
  });

  it.each(retold)(
    '[A20] is told with the newer statement, even if they share no word: %s',
    async (question, _, newer) => {
      expect(await told.answers(question)).toContain(newer);
    },
  );

  it('[A20] is told as it was if the question asks for the past', async () => {
    expect((await told.answers('Where did I previously live?'))[0]).toBe(berlin);
  });

  it('[A20] is not completed if the request has a threshold, which alone decides', async () => {
    const { results } = await told.ask('search', 'Where do I live?', { threshold: 0.75 });
    expect(results).not.toHaveLength(0);
    for (const { score } of results) expect(score).toBeGreaterThanOrEqual(0.75);
  });

  it('[A20] [E8] is told in a context with its days', async () => {
    const { text } = await told.ask('context', 'Where do I live?', { tokenBudget: 200 });
    expect(text).toContain(`(${daysAgo(2).slice(0, 10)}) ${lisbon}`);
    expect(text).toContain(`(${daysAgo(60).slice(0, 10)}) ${berlin}`);
    expect(text.indexOf(lisbon)).toBeLessThan(text.indexOf(berlin));
  });
});

const sameSubject: [question: string, answer: string, other: string][] = [
  ['Where is the printer?', 'The printer is in room 1.07.', 'The printer needs magenta toner.'],
  ['Who is our dentist?', 'Our dentist is Dr Kim.', 'Our dentist opens at nine.'],
  ['What does the API not support?', 'The API does not support XML.', 'The API supports JSON.'],
  ['When does Milo drink coffee?', 'Milo drinks coffee every morning.', 'Milo drinks no coffee after 3 pm.'],
  ['Where is the team lunch?', "The team lunch is at Rosa's.", 'The team lunch is paid by the company.'],
  ["What colour is Ana's car?", "Ana's car is a blue Fiat.", "Ana's car has a new battery."],
];

describe.each<[string, (answer: string, other: string) => Pair]>([
  ['newer', (answer, other) => [answer, other]],
  ['older', (answer, other) => [other, answer]],
])('a %s statement about the same subject', (_, pairOf) => {
  let told: Told;

  beforeAll(async () => {
    told = await Told.of(sameSubject.map(([, answer, other]) => pairOf(answer, other)));
  });

  it.each(sameSubject)('[A20] [D4] does not stand before the answer: %s', async (question, answer) => {
    expect((await told.answers(question))[0]).toBe(answer);
  });
});

describe('a memory that its writer calls inaccurate', () => {
  it('[A20] [C12] stands behind what speaks of the same matter', async () => {
    const [boiler, fridge] = ['The gas valve is behind the boiler.', 'The gas valve is behind the fridge.'];
    const told = await Told.of([[boiler!, fridge!]]);
    await told.judge(fridge!, 'inaccurate');
    expect((await told.answers('Where is the gas valve?'))[0]).toBe(boiler);
  });
});

describe('a place with two memories', () => {
  const answerIn = async (older: string, newer: string, query: string): Promise<string[]> => {
    const { admin } = await newTenant(server);
    await admin.store({ content: older, layer: 'company' });
    const { position } = await admin.store({ content: newer, layer: 'company' });
    const { body } = await admin.post('/v1/search', { query, minPosition: position, waitMs: 30_000 });
    return body.results.map(({ memory }: Json) => memory.content);
  };

  it.each([
    ['Where do I live?', 'I live in Berlin.', 'I moved to Lisbon last week.'],
    ['Who is my girlfriend?', 'My girlfriend is called Clara.', 'Clara and I broke up.'],
    ['Do I drink coffee?', 'I drink three coffees a day.', 'I gave up coffee.'],
    ['Which car do I have?', 'My car is a red Golf.', 'I sold the Golf and ride a bike now.'],
    ['Where do I work?', 'I work at Siemens.', 'I started at Bosch on Monday.'],
  ])('[A20] answers with the newer one too: %s', async (query, older, newer) => {
    expect(await answerIn(older, newer, query)).toContain(newer);
  });

  it('[A5] [A20] answers without one that tells no change', async () => {
    const [peanuts, violin] = ['Mia is allergic to peanuts', 'Mia plays the violin'];
    expect(await answerIn(peanuts!, violin!, 'What is Mia allergic to?')).toEqual([peanuts]);
  });
});

describe('a user who moved', () => {
  const [leeds, lyon] = ['I live in Leeds, close to the park.', 'I have moved to Lyon, near the river.'];
  const lasting = [
    'I prefer short answers.',
    'I am allergic to walnuts.',
    'I work as a physiotherapist.',
    'My favourite colour is green.',
    'I speak Danish and English.',
  ];
  let mia: Client;
  let position: string;

  beforeAll(async () => {
    mia = await (await newTenant(server)).key({ user: 'mia' });
    const told = (content: string, days: number) => ({
      content,
      layer: 'user',
      occurredAt: daysAgo(days),
    });
    const lines = await mia.bulk([
      ...lasting.map((content, at) => told(content, 90 + at)),
      told(leeds, 60),
      told(lyon, 2),
    ]);
    position = lines.at(-1)!.position;
    // A search waits for the vectors, which tell that both speak of the same matter.
    await mia.post('/v1/search', { query: 'Lyon', minPosition: position, waitMs: 30_000 });
  });

  it('[A20] [E8] has a profile that tells the old place only with the new one, and the days of both', async () => {
    const asked = { query: 'How do fish sleep?', profile: true, tokenBudget: 2_000 };
    const { body } = await mia.post('/v1/context', { ...asked, minPosition: position, waitMs: 30_000 });
    const [day, before] = [daysAgo(2).slice(0, 10), daysAgo(60).slice(0, 10)];
    expect(body.text).toContain(`${lyon} (${day}; on ${before}: ${leeds})`);
    for (const content of lasting) expect(body.text).toContain(content);
  });

  it('[A20] [E1] has a summary without the old place', async () => {
    const { body: refresh } = await mia.post('/v1/summaries/refresh', { layer: 'user' });
    await vi.waitFor(
      async () => {
        const path = `/v1/summaries?layer=user&depth=detailed&minPosition=${refresh.position}&waitMs=20000`;
        const { items } = (await mia.get(path)).body;
        expect(items).toHaveLength(1);
        expect(items[0].content).toContain(lyon);
        expect(items[0].content).not.toContain(leeds);
      },
      { timeout: 30_000, interval: 200 },
    );
  });
});
