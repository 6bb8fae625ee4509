import {
  END,
  InMemoryStore,
  MessagesAnnotation,
  START,
  StateGraph,
  type LangGraphRunnableConfig,
} from '@langchain/langgraph';
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { beforeAll, describe, expect, it } from 'vitest';
import { Stratalog } from '@stratalog/client';
import { clientWithKey, freshTenant } from '../../../../test/support/api.ts';
import { useSharedServer } from '../../../../test/support/use-server.ts';
import { StratalogStore } from '../src/langgraph.ts';
import { newClient } from './client.ts';

const server = useSharedServer();
let stratalog: Stratalog;
let store: StratalogStore;

beforeAll(async () => {
  stratalog = await newClient(server);
  store = new StratalogStore(stratalog);
});

/** A namespace that no other test uses. */
let count = 0;
const fresh = () => [`ns${++count}`];

describe('a LangGraph store', () => {
  it('[J3] returns an item as it was put, replaces it, and deletes it', async () => {
    const namespace = [...fresh(), 'ada', 'a/b c'];
    const value = {
      text: 'Mia is allergic to peanuts',
      score: 0.5,
      nested: { list: [1, null, 'x'], no: false },
    };
    await store.put(namespace, 'k/1', value);
    const first = await store.get(namespace, 'k/1');
    expect(first).toMatchObject({ namespace, key: 'k/1', value });
    expect(first!.createdAt).toBeInstanceOf(Date);

    await store.put(namespace, 'k/1', { text: 'changed' });
    const second = await store.get(namespace, 'k/1');
    expect(second!.value).toEqual({ text: 'changed' });
    expect(second!.createdAt).toEqual(first!.createdAt);
    expect(second!.updatedAt.getTime()).toBeGreaterThan(first!.updatedAt.getTime());

    await store.delete(namespace, 'k/1');
    expect(await store.get(namespace, 'k/1')).toBeNull();
    expect(await store.search(namespace)).toEqual([]);
    await store.delete(namespace, 'k/1');
  });

  it('[J3] puts an item again that was deleted, as often as wanted', async () => {
    const namespace = fresh();
    for (const text of ['first', 'second', 'third']) {
      await store.put(namespace, 'k', { text });
      await store.put(namespace, 'k', { text, again: true });
      expect(await store.search(namespace)).toMatchObject([{ key: 'k', value: { text, again: true } }]);
      await store.delete(namespace, 'k');
    }
    expect(await store.get(namespace, 'k')).toBeNull();
  });

  it('[J3] has one item after an erasure freed the external id of an earlier one', async () => {
    const tenant = freshTenant();
    const own = await newClient(server, { tenant });
    const admin = await newClient(server, { tenant, role: 'admin', user: 'eve' });
    const [namespace, items] = [fresh(), new StratalogStore(own)];
    await items.put(namespace, 'k', { text: 'the first value' });
    const { items: stored } = await own.memories.list();
    await items.delete(namespace, 'k');
    await items.put(namespace, 'k', { text: 'the second value' });
    await admin.memories.erase(stored[0]!.id);
    await items.put(namespace, 'k', { text: 'the third value' });
    const third = [{ key: 'k', value: { text: 'the third value' } }];
    expect(await items.get(namespace, 'k')).toMatchObject(third[0]!);
    expect(await items.search(namespace)).toMatchObject(third);
    expect(await items.search(namespace, { query: 'Which value is it?' })).toMatchObject(third);
    await items.delete(namespace, 'k');
    expect(await items.get(namespace, 'k')).toBeNull();
  });

  it('[J3] keeps one item when several processes put and delete it at the same time', async () => {
    const namespace = fresh();
    const { key } = await clientWithKey(server, { tenant: freshTenant(), role: 'member', user: 'ada' });
    const stores = Array.from(
      { length: 3 },
      () => new StratalogStore(new Stratalog({ url: server.url, apiKey: key! })),
    );
    for (let round = 0; round < 4; round++) {
      await Promise.all([
        stores[0]!.put(namespace, 'k', { round }),
        stores[1]!.delete(namespace, 'k'),
        stores[2]!.put(namespace, 'k', { round }),
      ]);
      await stores[round % 3]!.delete(namespace, 'k');
    }
    await stores[0]!.put(namespace, 'k', { last: true });
    expect(await stores[0]!.search(namespace)).toMatchObject([{ key: 'k', value: { last: true } }]);
  });

  it.each([
    ['texts that no database takes', { a: 'nul \u0000', b: 'half \ud800', n: 1 }],
    ['the key __proto__', JSON.parse('{"__proto__": {"x": 1}, "n": 1}') as object],
    ['deep values', { deep: Array.from({ length: 60 }).reduce<object>((inner) => ({ inner }), {}), n: 1 }],
    ['odd keys', { 'a.b': 1, 'q"\\': 2, '': 3, n: 1 }],
    ['nothing', {}],
    ['white space', { text: ' \n ' }],
  ])('[J3] keeps %s', async (_, value) => {
    const namespace = fresh();
    await store.put(namespace, 'k', value);
    const found = await store.get(namespace, 'k');
    expect(JSON.stringify(found!.value).length).toBe(JSON.stringify(value).length);
    expect(found!.value).toEqual(value);
    if ('n' in value) expect(await store.search(namespace, { filter: { n: 1 } })).toHaveLength(1);
  });

  it('[J3] keeps keys of any length and content', async () => {
    const namespace = fresh();
    const keys = ['', ' ', 'x'.repeat(3_000), 'ключ', 'a\u0000b', '#2', 'k#2', 'k'];
    for (const key of keys) await store.put(namespace, key, { key });
    for (const key of keys) expect(await store.get(namespace, key)).toMatchObject({ key, value: { key } });
    expect(await store.search(namespace, { limit: 50 })).toHaveLength(keys.length);
  });

  it('[J3] ranks a namespace for a query, with scores; with focus only what is relevant', async () => {
    const [root] = fresh();
    await store.put([root!, 'ada'], '1', { text: 'Ada prefers window seats on long flights' });
    await store.put([root!, 'ada', 'food'], '2', { text: 'Ada is allergic to peanuts' });
    await store.put([root!, 'adam'], '3', { text: 'Adam is allergic to shellfish' });
    const found = await store.search([root!, 'ada'], { query: 'What is Ada allergic to?' });
    expect(found[0]).toMatchObject({ key: '2', namespace: [root, 'ada', 'food'] });
    expect(found[0]!.score).toBeGreaterThan(0.7);
    expect(found.map(({ key }) => key)).toEqual(['2', '1']);
    const [, second] = found;
    expect(
      await store.search([root!, 'ada'], { query: 'What is Ada allergic to?', limit: 1, offset: 1 }),
    ).toEqual([second]);
    const focused = new StratalogStore(stratalog, { threshold: 'focused' });
    const answers = await focused.search([root!, 'ada'], { query: 'What is Ada allergic to?' });
    expect(answers.map(({ key }) => key)).toEqual(['2']);
    expect(await focused.search([root!, 'ada'], { query: 'Who won the chess tournament of 1953?' })).toEqual(
      [],
    );
  });

  it('[J3] searches the fields that `index` names, and leaves out what is not indexed', async () => {
    const namespace = fresh();
    const value = {
      title: 'The violin needs new strings',
      notes: [{ text: 'Bought at the harbour market' }],
    };
    await store.put(namespace, 'title', value, ['title']);
    await store.put(namespace, 'notes', value, ['notes[*].text']);
    await store.put(namespace, 'none', value, false);
    const keys = async (query: string) => (await store.search(namespace, { query })).map(({ key }) => key);
    expect(await keys('Which instrument needs new strings?')).toEqual(['title', 'notes']);
    expect(await keys('What was bought at the harbour market?')).toEqual(['notes', 'title']);
    expect(await store.search(namespace)).toHaveLength(3);
  });

  it('[J3] tests fields as the filters of the in-memory store do', async () => {
    const namespace = fresh();
    const memory = new InMemoryStore();
    const values = [
      { status: 'active', score: 4.5, flag: true, 'a.b': 'x' },
      { status: 'active', score: 5, flag: false },
      { status: 'done', score: 10, none: null },
      { other: 1 },
    ];
    for (const [index, value] of values.entries()) {
      await store.put(namespace, String(index), value);
      await memory.put(namespace, String(index), value);
    }
    for (const filter of [
      { status: 'active' },
      { status: 'active', score: { $gt: 4.5 } },
      { score: { $gte: 4.5, $lt: 10 } },
      { score: { $lte: 5 } },
      { status: { $ne: 'done' } },
      { status: { $eq: 'done' } },
      { status: { $in: ['done', 'gone'] } },
      { status: { $in: [] } },
      { status: { $nin: ['active'] } },
      { status: { $nin: [] } },
      { flag: false },
      { none: null },
      { 'a.b': 'x' },
      { missing: 'x' },
      {},
    ]) {
      const keys = async (searched: InMemoryStore | StratalogStore) =>
        (await searched.search(namespace, { filter })).map(({ key }) => key).sort();
      expect([filter, await keys(store)]).toEqual([filter, await keys(memory)]);
    }
    for (const filter of [{ status: ['active'] }, { status: { $like: 'a' } }, { score: { $gt: undefined } }])
      await expect(store.search(namespace, { filter })).rejects.toThrow(/^filter\.(status|score)/);
    const flagged = await store.search(namespace, { query: 'active', filter: { flag: true } });
    expect(flagged.map(({ key }) => key)).toEqual(['0']);
  });

  it('[J3] lists the latest change first, page by page', async () => {
    const namespace = fresh();
    for (const key of ['a', 'b', 'c']) await store.put(namespace, key, { key });
    await store.put(namespace, 'a', { key: 'changed' });
    const keys = async (page: object) => (await store.search(namespace, page)).map(({ key }) => key);
    expect(await keys({})).toEqual(['a', 'c', 'b']);
    expect(await keys({ limit: 1, offset: 1 })).toEqual(['c']);
    expect(await keys({ limit: 0 })).toEqual([]);
    expect(await keys({ offset: 3 })).toEqual([]);
  });

  it('[J3] lists namespaces as the in-memory store does', async () => {
    const [root] = fresh();
    const memory = new InMemoryStore();
    for (const rest of [['a', 'v1'], ['a', 'v2'], ['b', 'x', 'v1'], ['b']])
      for (const each of [store, memory]) await each.put([root!, ...rest], 'k', { x: 1 });
    for (const options of [
      { prefix: [root!] },
      { prefix: [root!, 'a'] },
      { prefix: [root!, '*', 'x'] },
      { prefix: [root!], suffix: ['v1'] },
      { prefix: [root!], suffix: ['x', '*'] },
      { prefix: [root!], maxDepth: 2 },
      { prefix: [root!], limit: 2, offset: 1 },
      { prefix: [root!, 'nothing'] },
    ])
      expect([options, await store.listNamespaces(options)]).toEqual([
        options,
        await memory.listNamespaces(options),
      ]);
  });

  it('[J3] carries out a batch: reads first, then the last put of each item', async () => {
    const namespace = fresh();
    await store.put(namespace, 'a', { n: 1 });
    const results = await store.batch([
      { namespace, key: 'a', value: { n: 2 } },
      { namespace, key: 'a' },
      { namespacePrefix: namespace },
      { namespace, key: 'a', value: { n: 3 } },
      { namespace, key: 'b', value: { n: 4 } },
      { matchConditions: [{ matchType: 'prefix', path: namespace }], limit: 10, offset: 0 },
    ]);
    expect(results).toMatchObject([
      undefined,
      { value: { n: 1 } },
      [{ key: 'a' }],
      undefined,
      undefined,
      [namespace],
    ]);
    expect((await store.get(namespace, 'a'))!.value).toEqual({ n: 3 });
    expect((await store.get(namespace, 'b'))!.value).toEqual({ n: 4 });
    expect(await store.batch([])).toEqual([]);
  });

  it.each([
    [['a.b'], /dots/],
    [['a:b'], /colons/],
    [[''], /not empty/],
    [[], /at least one label/],
    [['langgraph', 'x'], /langgraph/],
    [['\ud800'], /lone surrogates/],
  ])('[J3] refuses to put into the namespace %j', async (namespace, message) => {
    await expect(store.batch([{ namespace, key: 'k', value: {} }])).rejects.toThrow(message);
    await expect(store.put(namespace, 'k', {})).rejects.toThrow();
  });

  it('[J3] refuses a value that is no object and one that is too large, and stores nothing of the batch before', async () => {
    const namespace = fresh();
    const wrong = 'text' as unknown as Record<string, unknown>;
    const batch = store.batch([
      { namespace, key: 'a', value: { x: 1 } },
      { namespace, key: 'b', value: wrong },
    ]);
    await expect(batch).rejects.toThrow(/value must be an object/);
    expect(await store.search(namespace)).toEqual([]);
    await expect(store.put(namespace, 'k', { text: 'long '.repeat(180_000) })).rejects.toMatchObject({
      code: 'content-too-large',
    });
  });
});

describe('the place of a LangGraph store', () => {
  it('[J3] keeps each user’s items apart for an agent that serves many', async () => {
    const tenant = freshTenant();
    const agent = await newClient(server, {
      tenant,
      role: 'agent',
      user: undefined,
      agents: ['helper'],
      users: ['*'],
    });
    const shared = new StratalogStore(agent, {
      place: ([, user]) =>
        user === undefined ? { layer: 'agent', scope: { agent: 'helper' } } : { onBehalfOf: user },
    });
    await shared.put(['memories', 'ada'], 'k', { text: 'Ada likes tea' });
    await shared.put(['memories', 'bob'], 'k', { text: 'Bob likes coffee' });
    await shared.put(['rules'], 'k', { text: 'Always answer politely' });
    expect((await shared.get(['memories', 'ada'], 'k'))!.value).toEqual({ text: 'Ada likes tea' });
    expect((await shared.get(['rules'], 'k'))!.value).toEqual({ text: 'Always answer politely' });
    expect(await shared.search(['memories', 'bob'], { query: 'What do they like to drink?' })).toMatchObject([
      { value: { text: 'Bob likes coffee' } },
    ]);
    const ada = await newClient(server, { tenant });
    const { items } = await ada.memories.list();
    expect(items.map(({ content }) => content)).toEqual(['Ada likes tea']);
  });

  it('[J3] keeps two users’ own stores of the same name apart', async () => {
    const tenant = freshTenant();
    const [ada, bob] = await Promise.all(['ada', 'bob'].map((user) => newClient(server, { tenant, user })));
    const stores = [new StratalogStore(ada!), new StratalogStore(bob!)];
    for (const [n, own] of stores.entries()) await own.put(['notes'], 'k', { text: `note ${n}` });
    for (const [n, own] of stores.entries())
      expect(await own.search([])).toMatchObject([{ value: { text: `note ${n}` } }]);
  });

  it('[J3] says what to do if another team’s store has the same name', async () => {
    const tenant = freshTenant();
    const storeOf = async (team: string) =>
      new StratalogStore(await newClient(server, { tenant, teams: [team] }), {
        place: () => ({ layer: 'team', scope: { team } }),
      });
    await (await storeOf('red')).put(['notes'], 'k', { text: 'ours' });
    await expect((await storeOf('blue')).put(['notes'], 'k', { text: 'ours' })).rejects.toThrow(
      /another name/,
    );
  });
});

describe('a compiled graph with the store', () => {
  it('[J3] remembers across threads', async () => {
    const remember = async (
      { messages }: typeof MessagesAnnotation.State,
      { store, configurable }: LangGraphRunnableConfig,
    ) => {
      const namespace = ['memories', String(configurable!['user'])];
      const said = messages.at(-1)!.text;
      const known = await store!.search(namespace, { query: said });
      await store!.put(namespace, String(configurable!['thread_id']), { text: said });
      return {
        messages: [new AIMessage(known.map(({ value }) => String(value['text'])).join('; ') || 'unknown')],
      };
    };
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('remember', remember)
      .addEdge(START, 'remember')
      .addEdge('remember', END)
      .compile({ store: new StratalogStore(await newClient(server)) });
    const ask = async (thread: string, text: string) => {
      const configurable = { thread_id: thread, user: 'ada' };
      const { messages } = await graph.invoke({ messages: [new HumanMessage(text)] }, { configurable });
      return messages.at(-1)!.text;
    };
    expect(await ask('1', 'I am allergic to peanuts')).toBe('unknown');
    expect(await ask('2', 'What am I allergic to?')).toBe('I am allergic to peanuts');
  });
});
