import { z } from 'zod';
import { BrokenAnswer } from './retries.ts';

/** Higher counts than any real call has are ignored. */
const mostTokens = 100_000_000;
const count = z.int().nonnegative().max(mostTokens);

const completionSchema = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
      }),
    )
    .min(1),
  // Some endpoints report no usage, or none that can be added up.
  usage: z.object({ prompt_tokens: count, completion_tokens: count }).optional().catch(undefined),
});

/** An endpoint's answer, not yet validated. */
export interface ChatAnswer {
  readonly text: string;
  /** `cut`: the length limit was reached. `refused`: the model or a content filter refused to answer. */
  readonly ending: 'whole' | 'cut' | 'refused';
  /** Undefined if the endpoint does not count tokens. */
  readonly tokens: { readonly input: number; readonly output: number } | undefined;
}

/** Reads the body of `/chat/completions`. Throws `BrokenAnswer` if it is not a chat completion. */
export function readChatAnswer(body: unknown): ChatAnswer {
  const { data } = completionSchema.safeParse(body);
  const choice = data?.choices[0];
  if (!choice) throw new BrokenAnswer('no chat completion');
  const { message, finish_reason: reason } = choice;
  const refused = reason === 'content_filter' || (message.refusal ?? '') !== '';
  return {
    text: message.content ?? '',
    ending: refused ? 'refused' : reason === 'length' ? 'cut' : 'whole',
    tokens: data.usage && { input: data.usage.prompt_tokens, output: data.usage.completion_tokens },
  };
}

/** The reasoning that some models print before their answer. */
const thoughts = /^\s*<think>[\s\S]*?<\/think>/;

/** The JSON value in a text that may surround it with words or a code fence; undefined if there is none. */
export function jsonIn(text: string): unknown {
  const answer = text.replace(thoughts, '');
  const parsed = parse(answer);
  return parsed !== undefined
    ? parsed
    : parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
