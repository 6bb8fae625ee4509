import { setTimeout as sleep } from 'node:timers/promises';
import { json, scriptedEndpoint, type ScriptedEndpoint, type ScriptFor } from './scripted-endpoint.ts';

export interface ChatRequest {
  readonly model: string;
  readonly max_completion_tokens?: number;
  readonly max_tokens?: number;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly response_format?: {
    readonly type: string;
    readonly json_schema: { readonly name: string; readonly schema: Record<string, unknown> };
  };
}

export type ChatScript = ScriptFor<ChatRequest>;

export interface ScriptedLanguageModel extends ScriptedEndpoint<ChatRequest> {
  /** Sets the script for all requests without their own. Initially it answers an empty object. */
  otherwise(script: ChatScript): void;
}

/** A scripted OpenAI-compatible `/v1/chat/completions` on loopback. */
export async function scriptedLanguageModel(
  models: readonly string[] = ['root', 'sub'],
): Promise<ScriptedLanguageModel> {
  let fallback: ChatScript = says({});
  const endpoint = await scriptedEndpoint<ChatRequest>(
    '/v1/chat/completions',
    (request, response) => fallback(request, response),
    models,
  );
  return { ...endpoint, otherwise: (script) => void (fallback = script) };
}

/** The input of a request. */
export function inputOf({ messages }: ChatRequest): Record<string, unknown> {
  return JSON.parse(messages[1]!.content) as Record<string, unknown>;
}

const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

const completion = (message: Record<string, unknown>, finish = 'stop') => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  choices: [{ index: 0, finish_reason: finish, message: { role: 'assistant', ...message } }],
  usage,
});

const answers =
  (content: unknown, status = 200, headers: Record<string, string> = {}): ChatScript =>
  (_, response) =>
    json(response, status, content, headers);

/** The model answers with this message. */
export const completes = (message: Record<string, unknown>): ChatScript => answers(completion(message));
/** The model writes this text. */
export const writes = (content: string): ChatScript => completes({ content });
/** The model needs `tokens` for its thoughts: with a lower limit it is cut off with `message`, else it answers like `script`. */
export const thinks =
  (tokens: number, message: Record<string, unknown>, script: ChatScript): ChatScript =>
  (request, response) => {
    const limit = request.max_completion_tokens ?? request.max_tokens ?? Infinity;
    if (limit > tokens) return script(request, response);
    const usage = { prompt_tokens: 100, completion_tokens: limit };
    json(response, 200, { ...completion(message, 'length'), usage });
  };
/** The model answers this object, or the one that the function returns for the request. */
export const says =
  (value: unknown): ChatScript =>
  (request, response) => {
    const object: unknown =
      typeof value === 'function' ? (value as (request: ChatRequest) => unknown)(request) : value;
    json(response, 200, completion({ content: JSON.stringify(object) }));
  };
export const saysCounted = (value: unknown, usage: unknown): ChatScript =>
  answers({ ...completion({ content: JSON.stringify(value) }), usage });
export const refuses: ChatScript = answers(
  completion({ content: null, refusal: 'I cannot help with that.' }),
);
export const filters: ChatScript = answers(completion({ content: '' }, 'content_filter'));
export const isCutOff: ChatScript = answers(completion({ content: '{"words": ["one", "tw' }, 'length'));
/** The endpoint fails with this status. Its error message repeats the request, as some endpoints do. */
export const fails = (status: number, headers: Record<string, string> = {}): ChatScript => {
  return ({ messages }, response) =>
    json(response, status, { error: { message: `bad: ${JSON.stringify(messages)}` } }, headers);
};
export const breaksOffTheBody: ChatScript = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"choices": [{"mess', () => response.destroy());
};
export const writesNoJson: ChatScript = answers('<html>Bad gateway</html>');
export const answersAnotherShape: ChatScript = answers({ choices: 'none' });
export const closesTheConnection: ChatScript = (_, response) => void response.destroy();
export const neverAnswers: ChatScript = () => undefined;
export const isSlow =
  (ms: number, script: ChatScript): ChatScript =>
  async (request, response) => {
    await sleep(ms);
    await script(request, response);
  };
/** Refuses `response_format` and the newer name of the token limit. */
export const onlyInWords =
  (script: ChatScript): ChatScript =>
  (request, response) =>
    (request.response_format || request.max_completion_tokens ? fails(400) : script)(request, response);
