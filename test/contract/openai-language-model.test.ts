import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  OpenAiLanguageModel,
  type OpenAiLanguageModelOptions,
} from '../../src/adapters/openai/language-model.ts';
import { LanguageModelFailed, type CompletionRequest } from '../../src/ports/language-model.ts';
import { withTimeLimit } from '../../src/support/resilience/time-limit.ts';
import {
  answersAnotherShape,
  breaksOffTheBody,
  closesTheConnection,
  completes,
  fails,
  filters,
  inputOf,
  isCutOff,
  isSlow,
  neverAnswers,
  onlyInWords,
  refuses,
  says,
  saysCounted,
  thinks,
  scriptedLanguageModel,
  writes,
  writesNoJson,
  type ScriptedLanguageModel,
} from '../support/scripted-language-model.ts';

let server: ScriptedLanguageModel;
beforeAll(async () => {
  server = await scriptedLanguageModel();
});
afterAll(() => server.close());
beforeEach(() => {
  server.script();
  server.otherwise(says(answer));
  server.requests.length = 0;
});

const answer = { words: ['one', 'two'] };
const schema = z.strictObject({ words: z.array(z.string().min(1).max(10)).max(3) });
const secret = 'the question of a caller';

const open = (options: Partial<OpenAiLanguageModelOptions> = {}) =>
  new OpenAiLanguageModel({
    baseURL: server.baseURL,
    models: { root: 'root', sub: 'sub' },
    limits: { firstDelayMs: 1 },
    ...options,
  });

const request = (more: Partial<CompletionRequest<z.infer<typeof schema>>> = {}) => ({
  role: 'root' as const,
  purpose: 'plan',
  instructions: 'Split the question into words.',
  input: { question: secret },
  schema,
  maxOutputTokens: 50,
  signal: new AbortController().signal,
  ...more,
});

async function failureOf(completing: Promise<unknown>): Promise<LanguageModelFailed> {
  const error = await completing.then(
    () => expect.unreachable('it answered'),
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(LanguageModelFailed);
  return error as LanguageModelFailed;
}

describe('openai language model: a request', () => {
  it('contains the model of its role, the key, the length and the schema', async () => {
    const model = open({ apiKey: 'sesame' });
    await model.complete(request());
    await model.complete(request({ role: 'sub' }));
    expect(server.requests.map(({ model }) => model)).toEqual(['root', 'sub']);
    expect(server.requests[0]).toMatchObject({
      authorization: 'Bearer sesame',
      max_completion_tokens: 50,
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'plan',
          strict: true,
          schema: { type: 'object', required: ['words'], additionalProperties: false },
        },
      },
    });
  });

  it('keeps text of a caller out of the instructions', async () => {
    await open().complete(request());
    const [{ messages }] = server.requests as [(typeof server.requests)[0]];
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(messages[0]!.content).toMatch(/^Split the question into words\./);
    expect(messages[0]!.content).not.toContain(secret);
    expect(inputOf(server.requests[0]!)).toEqual({ question: secret });
  });

  it('sends no text lengths in the schema, but validates them', async () => {
    server.script(says({ words: ['far too long a word'] }));
    expect(await open().complete(request())).toMatchObject({ value: answer, usage: { requests: 2 } });
    expect(JSON.stringify(server.requests[0]!.response_format)).not.toMatch(/minLength|maxLength/);
    expect(server.requests[0]!.response_format!.json_schema.schema).toMatchObject({
      properties: { words: { maxItems: 3 } },
    });
  });

  it('returns the value, the model and the tokens counted by the endpoint', async () => {
    const usage = { model: 'root', inputTokens: 100, outputTokens: 20, requests: 1 };
    expect(await open().complete(request())).toEqual({ value: answer, usage });
  });

  it.each([
    ['there are none', undefined],
    ['they are not numbers', { prompt_tokens: null, completion_tokens: 'many' }],
  ])('estimates tokens if %s', async (_, counted) => {
    server.script(saysCounted(answer, counted));
    const { usage } = await open().complete(request());
    const length = JSON.stringify(server.requests[0]!.messages).length;
    expect(usage).toEqual({
      model: 'root',
      inputTokens: Math.ceil(length / 4),
      outputTokens: Math.ceil(JSON.stringify(answer).length / 4),
      requests: 1,
    });
  });
});

describe('openai language model: an endpoint without schemas', () => {
  it('receives the schema in the prompt from then on', async () => {
    server.otherwise(onlyInWords(says(answer)));
    const model = open();
    expect(await model.complete(request())).toMatchObject({ value: answer, usage: { requests: 2 } });
    expect(server.requests[1]!.messages[0]!.content).toContain('"words"');
    expect(server.requests[1]).toMatchObject({ max_tokens: 50 });
    expect(await model.complete(request())).toMatchObject({ value: answer, usage: { requests: 1 } });
    expect(server.requests.map((sent) => sent.response_format !== undefined)).toEqual([true, false, false]);
  });

  it('receives `response_format` again for another purpose or model, because it may have rejected the particular schema', async () => {
    server.script(fails(400), says(answer));
    const model = open();
    await model.complete(request());
    await model.complete(request({ purpose: 'expansion' }));
    await model.complete(request({ role: 'sub' }));
    expect(server.requests.map((sent) => sent.response_format !== undefined)).toEqual([
      true,
      false,
      true,
      true,
    ]);
  });

  it('receives `response_format` again if the request in words was rejected too', async () => {
    server.script(fails(400), fails(400));
    const model = open();
    expect(await failureOf(model.complete(request()))).toMatchObject({ failure: 'refused' });
    await model.complete(request());
    expect(server.requests.map((sent) => sent.response_format !== undefined)).toEqual([true, false, true]);
  });

  it.each([
    ['a fence', `Here it is:\n\`\`\`json\n${JSON.stringify(answer)}\n\`\`\`\nDone.`],
    ['thoughts', `<think>{"no": 1}</think>${JSON.stringify(answer)}`],
    ['words', `Sure! ${JSON.stringify(answer)}`],
  ])('may surround its JSON with %s', async (_, text) => {
    server.script(writes(text));
    expect(await open().complete(request())).toMatchObject({ value: answer, usage: { requests: 1 } });
  });
});

describe('openai language model: an answer that cannot be used', () => {
  it.each([
    ['of another shape', says({ words: [1] }), 'words.0: '],
    ['with an additional field', says({ ...answer, also: 1 }), 'also'],
    ['that is not JSON', writes('I do not know.'), 'not JSON'],
    ['that is empty', writes(''), 'not JSON'],
    ['that is cut off', isCutOff, 'longer than 50 tokens'],
  ])('is requested once more with the error: one %s', async (_, script, complaint) => {
    server.script(script);
    const { value, usage } = await open().complete(request());
    expect(value).toEqual(answer);
    expect(usage).toMatchObject({ inputTokens: 200, outputTokens: 40, requests: 2 });
    const { messages } = server.requests[1]!;
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(messages[3]!.content).toContain(complaint);
  });

  it('fails after that, and reports its cost', async () => {
    server.script(says({ words: 7 }), says({}));
    expect(await failureOf(open().complete(request()))).toMatchObject({
      failure: 'invalid-answer',
      usage: { requests: 2, inputTokens: 200, outputTokens: 40 },
    });
  });

  it.each([
    ['the model', refuses],
    ['a filter', filters],
  ])('is not requested again if %s refuses', async (_, script) => {
    server.script(script);
    const failure = await failureOf(open().complete(request()));
    expect(failure).toMatchObject({ failure: 'refused', usage: { requests: 1, inputTokens: 100 } });
  });
});

describe('openai language model: a model that thinks before it answers', () => {
  const limits = () => server.requests.map((sent) => sent.max_completion_tokens);
  const thinking = (overrides: Partial<CompletionRequest<z.infer<typeof schema>>> = {}) =>
    request({ thoughtTokens: 400, ...overrides });

  it.each<[string, Record<string, unknown>]>([
    ['an empty text', { content: '' }],
    ['null beside its thoughts', { content: null, reasoning_content: 'First I look at {"words": []}.' }],
    ['thoughts that do not end', { content: '<think>Is it {"words": []}?' }],
    ['a list of thoughts', { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm {' }] }] }],
  ])('is asked once more with room for its thoughts after %s', async (_, message) => {
    server.otherwise(thinks(200, message, says(answer)));
    const model = open();
    expect(await model.complete(thinking())).toMatchObject({ value: answer, usage: { requests: 2 } });
    expect(limits()).toEqual([50, 450]);
    // An answer that was never given is not quoted.
    expect(server.requests[1]!.messages).toHaveLength(2);
    expect(await model.complete(thinking())).toMatchObject({ value: answer, usage: { requests: 1 } });
    expect(limits()).toEqual([50, 450, 450]);
    await model.complete(thinking({ role: 'sub' }));
    expect(limits().slice(3)).toEqual([50, 450]);
  });

  it('fails if that is used up too, and says what to do', async () => {
    server.otherwise(thinks(1_000, { content: '' }, says(answer)));
    const failure = await failureOf(open().complete(thinking()));
    expect(failure).toMatchObject({ failure: 'invalid-answer', usage: { requests: 2, outputTokens: 500 } });
    expect(failure.message).toMatch(/used up its limit of 450 tokens on thoughts: .*LLM_THOUGHT_TOKENS/);
  });

  it('is not asked again without room', async () => {
    server.otherwise(thinks(200, { content: '' }, says(answer)));
    expect((await failureOf(open().complete(request()))).message).toContain('limit of 50 tokens on thoughts');
    expect(limits()).toEqual([50]);
  });

  it('may write its answer in parts', async () => {
    const parts = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Is it {"words": []}?' }] },
      { type: 'text', text: JSON.stringify(answer).slice(0, 9) },
      { type: 'text', text: JSON.stringify(answer).slice(9) },
    ];
    server.script(completes({ content: parts }));
    expect(await open().complete(request())).toMatchObject({ value: answer, usage: { requests: 1 } });
  });

  it('may write a draft before its answer: the one of the right shape counts', async () => {
    server.script(writes(`{"number": 1} or ${JSON.stringify(answer)} as {"asked": true}`));
    expect(await open().complete(request())).toMatchObject({ value: answer, usage: { requests: 1 } });
  });
});

describe('openai language model: transient errors', () => {
  it.each([
    ['429', fails(429, { 'retry-after': '0.01' })],
    ['500', fails(500)],
    ['503', fails(503)],
    ['a closed connection', closesTheConnection],
    ['a body that is cut off', breaksOffTheBody],
    ['a page instead of JSON', writesNoJson],
    ['JSON of another shape', answersAnotherShape],
  ])('are retried: %s', async (_, script) => {
    server.script(script, script);
    expect(await open().complete(request())).toMatchObject({
      value: answer,
      usage: { requests: 3, inputTokens: 100, outputTokens: 20 },
    });
  });

  it.each([
    ['rate-limited', fails(429, { 'retry-after': '0' })],
    ['unavailable', fails(500)],
    ['unavailable', closesTheConnection],
    ['unavailable', breaksOffTheBody],
    ['unavailable', writesNoJson],
    ['unavailable', answersAnotherShape],
  ] as const)('end as %s after the last attempt', async (failure, script) => {
    server.otherwise(script);
    const error = await failureOf(open({ limits: { attempts: 2, firstDelayMs: 1 } }).complete(request()));
    expect(error).toMatchObject({ failure, usage: { requests: 2 } });
    expect(server.requests).toHaveLength(2);
  });

  it('are not retried beyond the time limit', async () => {
    server.script(fails(429, { 'retry-after': '3600' }));
    expect(await failureOf(open().complete(request()))).toMatchObject({ failure: 'rate-limited' });
    expect(server.requests).toHaveLength(1);
  });

  it('are not retried after the caller has aborted', async () => {
    server.script(fails(429, { 'retry-after': '30' }));
    const started = performance.now();
    const call = withTimeLimit(100, undefined, (signal) => open().complete(request({ signal })));
    expect(await failureOf(call)).toMatchObject({ failure: 'timed-out', usage: { requests: 1 } });
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it.each([401, 403, 404])('do not include %d', async (status) => {
    server.script(fails(status));
    expect(await failureOf(open().complete(request()))).toMatchObject({
      failure: 'misconfigured',
      usage: { requests: 1, inputTokens: 0 },
    });
    expect(server.requests).toHaveLength(1);
  });
});

describe('openai language model: time', () => {
  it.each([
    ['never answers', neverAnswers],
    ['answers late', isSlow(2_000, says(answer))],
  ])('ends with the signal if the endpoint %s', async (_, script) => {
    server.otherwise(script);
    const call = withTimeLimit(100, undefined, (signal) => open().complete(request({ signal })));
    const failure = await failureOf(call);
    expect(failure).toMatchObject({ failure: 'timed-out', usage: { requests: 1, outputTokens: 0 } });
    expect(failure.usage!.inputTokens).toBeGreaterThan(10);
  });

  it('sends nothing if it was over before', async () => {
    const signal = AbortSignal.abort();
    expect(await failureOf(open().complete(request({ signal })))).toMatchObject({ failure: 'timed-out' });
    expect(server.requests).toEqual([]);
  });

  it('of one request is limited without a signal of the caller', async () => {
    server.otherwise(neverAnswers);
    const model = open({ limits: { attempts: 2, requestMs: 50, firstDelayMs: 1 } });
    expect(await failureOf(model.complete(request()))).toMatchObject({
      failure: 'timed-out',
      usage: { requests: 2 },
    });
  });

  it('also covers the repetition after a rejected answer', async () => {
    server.script(says({}), neverAnswers);
    const call = withTimeLimit(200, undefined, (signal) => open().complete(request({ signal })));
    expect(await failureOf(call)).toMatchObject({
      failure: 'timed-out',
      usage: { requests: 2, outputTokens: 20 },
    });
  });
});

describe('[I5] openai language model: an error', () => {
  it.each([
    ['400', fails(400)],
    ['401', fails(401)],
    ['429', fails(429, { 'retry-after': '0' })],
    ['500', fails(500)],
    ['no JSON', writes(`no ${secret}`)],
    ['another shape', says({ words: [], [secret]: secret })],
  ])('contains neither key nor content: %s', async (_, script) => {
    server.otherwise(script);
    const failure = await failureOf(
      open({
        apiKey: 'sesame',
        limits: { attempts: 1 },
      }).complete(request()),
    );
    const text = JSON.stringify([failure.message, failure.stack, failure.cause, failure.usage]);
    expect(text).not.toContain(secret);
    expect(text).not.toContain('sesame');
    expect(failure.message).toMatch(/^the language model root at 127\.0\.0\.1:\d+ /);
  });
});
