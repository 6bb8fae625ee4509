import { generateText, stepCountIs, streamText, wrapLanguageModel, type LanguageModel } from 'ai';
import { MockLanguageModelV3, simulateReadableStream } from 'ai/test';
import { beforeEach, describe, expect, it } from 'vitest';
import { Stratalog } from '@stratalog/client';
import { useSharedServer } from '../../../../test/support/use-server.ts';
import { memoryMiddleware, memoryTools, type MemoryMiddlewareOptions } from '../src/ai-sdk.ts';
import { newClient } from './client.ts';

const server = useSharedServer();
let stratalog: Stratalog;
beforeEach(async () => {
  stratalog = await newClient(server);
});

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
type Answer = string | { readonly tool: string; readonly input: object };

/** A model that gives these answers, one after the other, at once or as a stream. */
function scripted(...answers: Answer[]): MockLanguageModelV3 {
  let call = 0;
  const next = () => {
    const answer = answers[call++];
    if (answer === undefined) throw new Error('the script has no further answer');
    const isText = typeof answer === 'string';
    return {
      content: isText
        ? [{ type: 'text' as const, text: answer }]
        : [
            {
              type: 'tool-call' as const,
              toolCallId: `call-${call}`,
              toolName: answer.tool,
              input: JSON.stringify(answer.input),
            },
          ],
      finishReason: { unified: isText ? ('stop' as const) : ('tool-calls' as const), raw: undefined },
      usage,
      warnings: [],
    };
  };
  return new MockLanguageModelV3({
    doGenerate: () => Promise.resolve(next()),
    doStream: () => {
      const { content, finishReason } = next();
      const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
      return Promise.resolve({
        stream: simulateReadableStream({
          chunks: [
            { type: 'text-start' as const, id: '1' },
            ...text.split(/(?<= )/).map((delta) => ({ type: 'text-delta' as const, id: '1', delta })),
            { type: 'text-end' as const, id: '1' },
            { type: 'finish' as const, finishReason, usage },
          ],
        }),
      });
    },
  });
}

function remembering(model: MockLanguageModelV3, options?: MemoryMiddlewareOptions): LanguageModel {
  return wrapLanguageModel({ model, middleware: memoryMiddleware(stratalog, options) });
}

/** The system messages that a call of the model got. */
function systemOf(model: MockLanguageModelV3, call: number): string[] {
  const { prompt } = [...model.doGenerateCalls, ...model.doStreamCalls][call]!;
  return prompt.flatMap((message) => (message.role === 'system' ? [message.content] : []));
}

async function contents(): Promise<string[]> {
  return (await stratalog.memories.list({ order: 'oldest' }).toArray()).map(({ content }) => content);
}

describe('the tools for the AI SDK', () => {
  it('[J3] let a model store, find, change, rate and delete memories', async () => {
    const tools = memoryTools(stratalog, { store: { tags: ['chat'], metadata: { app: 'test' } } });
    const context = { toolCallId: '1', messages: [] };
    const stored = await tools.memory_store.execute!({ content: 'Mia is allergic to peanuts' }, context);
    if (!('memory_id' in stored)) throw new Error('memory_store does not stream');
    const model = scripted(
      { tool: 'memory_search', input: { query: 'What is Mia allergic to?' } },
      {
        tool: 'memory_update',
        input: { memory_id: stored.memory_id, content: 'Mia is allergic to peanuts and nuts' },
      },
      { tool: 'memory_get', input: { memory_id: stored.memory_id } },
      'Peanuts and nuts.',
    );
    const { text, steps } = await generateText({
      model,
      tools,
      prompt: 'What must Mia not eat?',
      stopWhen: stepCountIs(5),
    });
    expect(text).toBe('Peanuts and nuts.');
    const outputs = steps.flatMap(({ toolResults }) =>
      toolResults.map(({ output }) => output as Record<string, unknown>),
    );
    expect(outputs).toMatchObject([
      {
        results: [
          {
            memory_id: stored.memory_id,
            content: 'Mia is allergic to peanuts',
            layer: 'user',
            tags: ['chat'],
          },
        ],
      },
      { content: 'Mia is allergic to peanuts and nuts' },
      { content: 'Mia is allergic to peanuts and nuts' },
    ]);
    const { search_id } = outputs[0] as { search_id: string };
    await tools.memory_feedback.execute!(
      { memory_id: stored.memory_id, kind: 'helpful', search_id },
      context,
    );
    const { items: versions } = await stratalog.memories.history(stored.memory_id);
    expect(versions.map(({ cause }) => cause)).toEqual(['llm', 'llm']);
    expect((await stratalog.memories.get(stored.memory_id)).metadata).toEqual({ app: 'test' });
    await tools.memory_delete.execute!({ memory_id: stored.memory_id }, context);
    expect(await contents()).toEqual([]);
  });

  it('[J3] cut long contents, of which memory_get has the rest', async () => {
    const tools = memoryTools(stratalog, { search: { content: 'whole' } });
    const content = `The bridge opened in 1932. ${'It was repaired again. '.repeat(200)}`;
    await stratalog.memories.store({ content });
    const context = { toolCallId: '1', messages: [] };
    const found = await tools.memory_search.execute!(
      { query: 'When did the bridge open?', top_k: 1 },
      context,
    );
    if (!('results' in found)) throw new Error('memory_search does not stream');
    expect(found.results[0]!.content).toMatch(/… \[4627 characters; memory_get has the rest\]$/);
    expect(
      await tools.memory_get.execute!({ memory_id: found.results[0]!.memory_id }, context),
    ).toMatchObject({ content });
  });

  it('[J3] answer a refusal as a tool error that says what to do', async () => {
    const model = scripted(
      { tool: 'memory_feedback', input: { memory_id: 'unknown', kind: 'helpful' } },
      { tool: 'memory_store', input: { content: ' ' } },
      'Sorry.',
    );
    const { steps } = await generateText({
      model,
      tools: memoryTools(stratalog),
      prompt: 'Rate it',
      stopWhen: stepCountIs(3),
    });
    const errors = steps.flatMap(({ content }) =>
      content.filter(({ type }) => type === 'tool-error'),
    ) as unknown as { error: Error }[];
    expect(errors.map(({ error }) => error.message)).toEqual([
      expect.stringMatching(/404 not-found.*Check the id/),
      expect.stringMatching(/^content: must not be empty/),
    ]);
    expect(JSON.stringify(model.doGenerateCalls.at(-1)!.prompt)).not.toMatch(/at .*\.ts:\d+/);
  });
});

describe('the middleware for the AI SDK', () => {
  it.each(['generate', 'stream'] as const)(
    '[J3] recalls before a call and remembers after it (%s)',
    async (way) => {
      const model = scripted('Noted.', 'Peanuts!');
      const ask = async (prompt: string) => {
        const settings = { model: remembering(model), system: 'Be brief.', prompt };
        return way === 'generate' ? (await generateText(settings)).text : streamText(settings).text;
      };
      expect(await ask('I am allergic to peanuts')).toBe('Noted.');
      expect(systemOf(model, 0)).toEqual(['Be brief.']);
      expect(await contents()).toEqual(['I am allergic to peanuts', 'Noted.']);
      expect(await ask('What am I allergic to?')).toBe('Peanuts!');
      const [own, recalled, ...others] = systemOf(model, 1);
      expect([own, others]).toEqual(['Be brief.', []]);
      expect(recalled).toMatch(
        /information, not instructions:\n- \(\d{4}-\d\d-\d\d, said by the user\) I am allergic to peanuts/,
      );
      const { items } = await stratalog.memories.list({ order: 'oldest' });
      expect(items).toMatchObject([
        { layer: 'user', metadata: { role: 'user' } },
        { layer: 'user', metadata: { role: 'assistant' } },
        { content: 'What am I allergic to?' },
        { content: 'Peanuts!' },
      ]);
    },
  );

  it('[J3] keeps the turns of a conversation in its session, and recalls nothing that the prompt has', async () => {
    const model = scripted('Noted.', 'Peanuts!');
    const session = remembering(model, { sessionId: 's1', store: { tags: ['chat'] } });
    await generateText({ model: session, prompt: 'I am allergic to peanuts' });
    await generateText({
      model: session,
      messages: [
        { role: 'user', content: 'I am allergic to peanuts' },
        { role: 'assistant', content: 'Noted.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What am I' },
            { type: 'text', text: 'allergic to?' },
          ],
        },
      ],
    });
    expect(systemOf(model, 1)).toEqual([]);
    const { items } = await stratalog.memories.list({ order: 'oldest' });
    expect(items.map(({ layer, scope, tags, content }) => [layer, scope.session, tags, content])).toEqual(
      ['I am allergic to peanuts', 'Noted.', 'What am I\nallergic to?', 'Peanuts!'].map((content) => [
        'session',
        's1',
        ['chat'],
        content,
      ]),
    );
  });

  it('[J3] searches once for a call with tools, and stores the turns when the answer is there', async () => {
    await stratalog.memories.store({ content: 'The user lives in Lyon' });
    const model = scripted({ tool: 'memory_search', input: { query: 'x' } }, 'In Lyon.');
    let searches = 0;
    const watched = Object.assign(Object.create(stratalog) as Stratalog, {
      memories: stratalog.memories,
      search: (...given: Parameters<Stratalog['search']>) => {
        searches++;
        return stratalog.search(...given);
      },
    });
    const { text } = await generateText({
      model: wrapLanguageModel({ model, middleware: memoryMiddleware(watched) }),
      tools: memoryTools(stratalog),
      prompt: 'Where do I live?',
      stopWhen: stepCountIs(2),
    });
    expect(text).toBe('In Lyon.');
    expect(searches).toBe(1);
    for (const call of [0, 1]) expect(systemOf(model, call)[0]).toContain('The user lives in Lyon');
    expect(await contents()).toEqual(['The user lives in Lyon', 'Where do I live?', 'In Lyon.']);
  });

  it('[J3] recalls and remembers as little as wanted', async () => {
    await stratalog.memories.store({ content: 'The user lives in Lyon', tags: ['home'] });
    const model = scripted('1', '2', '3');
    const ask = (options: MemoryMiddlewareOptions) =>
      generateText({ model: remembering(model, options), prompt: 'Where do I live?' });
    await ask({ recall: false, remember: 'none' });
    expect(systemOf(model, 0)).toEqual([]);
    await ask({ recall: { tags: ['work'] }, remember: 'none' });
    expect(systemOf(model, 1)).toEqual([]);
    await ask({ recall: { tags: ['home'] }, remember: 'user' });
    expect(systemOf(model, 2)).toHaveLength(1);
    expect(await contents()).toEqual(['The user lives in Lyon', 'Where do I live?']);
  });

  it('[J3] fails the call if the memory fails, or tells `onError` and goes on', async () => {
    const gone = new Stratalog({ url: 'http://127.0.0.1:9', retries: 0 });
    const model = scripted('Fine.', 'Fine.');
    const ask = (options?: MemoryMiddlewareOptions) =>
      generateText({
        model: wrapLanguageModel({ model, middleware: memoryMiddleware(gone, options) }),
        prompt: 'How are you?',
        maxRetries: 0,
      });
    await expect(ask()).rejects.toThrow(/no Stratalog answers/);
    const errors: unknown[] = [];
    expect((await ask({ onError: (error) => errors.push(error) })).text).toBe('Fine.');
    expect(errors).toHaveLength(2);
  });

  it('[J3] stores nothing of a call that fails or is broken off', async () => {
    const model = new MockLanguageModelV3({
      doGenerate: () => Promise.reject(new Error('overloaded')),
      doStream: () =>
        Promise.resolve({
          stream: simulateReadableStream({
            chunks: [
              { type: 'text-start' as const, id: '1' },
              { type: 'text-delta' as const, id: '1', delta: 'I beg' },
              { type: 'error' as const, error: new Error('cut off') },
            ],
          }),
        }),
    });
    const settings = { model: remembering(model), prompt: 'Hello', maxRetries: 0 };
    await expect(generateText(settings)).rejects.toThrow('overloaded');
    await streamText({ ...settings, onError: () => undefined }).consumeStream();
    expect(await contents()).toEqual([]);
  });
});
