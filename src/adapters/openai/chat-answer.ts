import { z } from 'zod';
import { BrokenAnswer } from './retries.ts';

/** More than any call has: what says so is not added up. */
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
  // Some endpoints tell nothing of it, or nothing that could be added up.
  usage: z.object({ prompt_tokens: count, completion_tokens: count }).optional().catch(undefined),
});

/** What an endpoint said, whatever it is worth. */
export interface ChatAnswer {
  readonly text: string;
  /** `cut`: it came to the greatest length. `refused`: the model, or a filter before it, will not answer. */
  readonly ending: 'whole' | 'cut' | 'refused';
  /** Undefined where the endpoint does not count them. */
  readonly tokens: { readonly input: number; readonly output: number } | undefined;
}

/** Reads the body of `/chat/completions`. Throws `BrokenAnswer` for what is none. */
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

/** What models that think aloud say before they answer. */
const thoughts = /^\s*<think>[\s\S]*?<\/think>/;

/** The JSON of a text that may surround it with words or a fence; undefined where there is none. */
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
