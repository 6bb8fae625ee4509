import { Agent, run, setTracingDisabled, tool, type AgentInputItem } from '@openai/agents-core';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents-core/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Stratalog } from '@stratalog/client';
import { freshTenant } from '../../../../test/support/api.ts';
import { useSharedServer } from '../../../../test/support/use-server.ts';
import { jsonOfItem } from '../src/openai-agents/item-json.ts';
import { StratalogSession } from '../src/openai-agents.ts';
import { newClient } from './client.ts';

setTracingDisabled(true);

const server = useSharedServer();
let stratalog: Stratalog;
beforeAll(async () => {
  stratalog = await newClient(server);
});

const user = (content: string): AgentInputItem => ({ role: 'user', content });

/** Items of many shapes, some that no database would take as they are. */
const items: AgentInputItem[] = [
  user('My dog is called Rex'),
  {
    type: 'message',
    role: 'assistant',
    status: 'completed',
    id: 'm1',
    content: [{ type: 'output_text', text: 'Nice name!', providerData: { z: 1, a: [null, 1.5] } }],
  },
  {
    type: 'reasoning',
    id: 'r1',
    content: [],
    rawContent: [{ type: 'reasoning_text', text: 'Think about dogs' }],
  },
  { type: 'function_call', callId: 'c1', name: 'vet', arguments: '{"dog":"Rex"}', status: 'completed' },
  {
    type: 'function_call_result',
    callId: 'c1',
    name: 'vet',
    status: 'completed',
    output: { type: 'text', text: 'nul \u0000 half \ud800' },
  },
  { role: 'user', content: [{ type: 'input_image', image: 'data:image/png;base64,AAAA' }] },
  { role: 'system', content: ' ' },
  { type: 'compaction', encrypted_content: 'x' },
  {
    type: 'unknown',
    providerData: JSON.parse('{"__proto__": {"b": 1}, "a": {"$key": "x"}}') as Record<string, unknown>,
  },
  {
    type: 'function_call_result',
    callId: 'c2',
    name: 'photo',
    status: 'completed',
    output: [
      {
        type: 'input_image',
        image: { data: new Uint8Array([0, 127, 255]), mediaType: 'image/png' } as never,
      },
    ],
  },
];

describe('a session of the OpenAI Agents SDK', () => {
  it('[J3] returns the exact items in order, of any shape', async () => {
    const session = new StratalogSession(stratalog);
    expect(await session.getSessionId()).toMatch(/^[0-9a-f-]{36}$/);
    expect(await session.getItems()).toEqual([]);
    await session.addItems(items.slice(0, 3));
    await session.addItems([]);
    await session.addItems(items.slice(3));
    expect(await session.getItems()).toEqual(items);
    expect(JSON.stringify(await session.getItems())).toBe(JSON.stringify(items));
    expect(await session.getItems(2)).toEqual(items.slice(-2));
    expect(await session.getItems(0)).toEqual([]);
    expect(await session.getItems(1_000)).toEqual(items);

    const again = new StratalogSession(await Promise.resolve(stratalog), {
      sessionId: await session.getSessionId(),
    });
    expect(await again.getItems()).toEqual(items);
    expect(await new StratalogSession(stratalog).getItems()).toEqual([]);
  });

  it('[J3] removes the last item, and all', async () => {
    const session = new StratalogSession(stratalog);
    await session.addItems([user('one'), user('two')]);
    expect(await session.popItem()).toEqual(user('two'));
    await session.addItems([user('three')]);
    expect(await session.getItems()).toEqual([user('one'), user('three')]);
    await session.clearSession();
    expect(await session.getItems()).toEqual([]);
    expect(await session.popItem()).toBeUndefined();
    await session.addItems([user('four')]);
    expect(await session.getItems()).toEqual([user('four')]);
  });

  it('[J3] keeps items that are larger than a memory may be, among more than it reads for the last ones', async () => {
    const session = new StratalogSession(stratalog);
    const many = Array.from({ length: 30 }, (_, index) => user(`number ${index}`));
    const large = {
      role: 'user',
      content: [{ type: 'input_file', file: { data: Buffer.alloc(900_000, 7) } as never }],
    } as AgentInputItem;
    await session.addItems(many);
    await session.addItems([large, user(`${'x'.repeat(149_980)}${'😀'.repeat(20)}`)]);
    expect(await session.getItems(31)).toHaveLength(31);
    const [last, before] = [await session.popItem(), await session.popItem()];
    expect((last as { content: string }).content).toHaveLength(150_020);
    expect(jsonOfItem(before!)).toBe(jsonOfItem(large));
    expect(await session.getItems()).toEqual(many);
    expect(await session.getItems(25)).toEqual(many.slice(-25));
  });

  it('[J3] keeps the items of each call together when several add at once', async () => {
    const session = new StratalogSession(stratalog);
    await Promise.all(['a', 'b', 'c'].map((name) => session.addItems([user(`${name}1`), user(`${name}2`)])));
    const texts = (await session.getItems()).map((item) => (item as { content: string }).content);
    expect(texts).toHaveLength(6);
    for (const name of ['a', 'b', 'c']) expect(texts.indexOf(`${name}2`)).toBe(texts.indexOf(`${name}1`) + 1);
  });

  it('[J3] adds nothing if one item is refused, and keeps the sessions of users apart', async () => {
    const tenant = freshTenant();
    const [ada, bob] = await Promise.all(
      ['ada', 'bob'].map((name) => newClient(server, { tenant, user: name })),
    );
    const mine = new StratalogSession(ada!, { sessionId: 'default' });
    const others = new StratalogSession(bob!, { sessionId: 'default' });
    await mine.addItems([user('of ada')]);
    await others.addItems([user('of bob')]);
    expect(await mine.getItems()).toEqual([user('of ada')]);
    const refusing = new StratalogSession(ada!, { sessionId: 'default', scope: { user: 'bob' } });
    await expect(refusing.addItems([user('x')])).rejects.toMatchObject({ status: 403 });
    let calls = 0;
    const failing = new Proxy(ada!.memories, {
      get: (memories, name) =>
        name === 'store'
          ? (memory: never) => (++calls === 2 ? Promise.reject(new Error('gone')) : memories.store(memory))
          : (Reflect.get(memories, name) as (...given: unknown[]) => unknown).bind(memories),
    });
    const broken = new StratalogSession(
      Object.assign(Object.create(ada!) as Stratalog, { memories: failing }),
      { sessionId: 'default' },
    );
    await expect(broken.addItems([user('1'), user('2')])).rejects.toThrow('gone');
    expect(await mine.getItems()).toEqual([user('of ada')]);
    const admin = await newClient(server, { tenant, role: 'admin', user: 'eve' });
    const ofBob = new StratalogSession(admin, { sessionId: 'default', scope: { user: 'bob' } });
    expect(await ofBob.getItems()).toEqual([user('of bob')]);
  });

  it('[J3] gives an agent its history in the next run, tool calls included, and makes it searchable', async () => {
    const session = new StratalogSession(stratalog);
    const model = new ScriptedModel([
      [functionCall('age', { dog: 'Rex' }, { callId: 'call-1' })],
      [assistantMessage('Rex is seven years old.')],
      [assistantMessage('I told you: seven.')],
    ]);
    const age = tool({
      name: 'age',
      description: 'age of a dog',
      parameters: z.object({ dog: z.string() }),
      execute: () => '7',
    });
    const agent = new Agent({ name: 'vet', model, tools: [age] });
    await run(agent, 'How old is my dog Rex?', { session });
    const stored = await session.getItems();
    expect(stored.map((item) => item.type ?? 'message')).toEqual([
      'message',
      'function_call',
      'function_call_result',
      'message',
    ]);
    const { finalOutput } = await run(agent, 'How old again?', { session });
    expect(finalOutput).toBe('I told you: seven.');
    expect(model.lastCall!.request.input).toEqual([
      ...stored,
      expect.objectContaining({ role: 'user', content: 'How old again?' }),
    ]);

    const sessionId = await session.getSessionId();
    const { results } = await stratalog.search({
      query: 'How old is Rex?',
      scope: { session: sessionId },
      sessionId,
    });
    expect(results.map(({ memory }) => memory.content)).toContain('Rex is seven years old.');
    expect(results[0]!.memory).toMatchObject({
      layer: 'session',
      scope: { session: sessionId, user: 'ada' },
    });
  });
});
