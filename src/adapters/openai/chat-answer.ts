import { z } from 'zod';
import { BrokenAnswer } from './retries.ts';

/** Higher counts than any real call has are ignored. */
const mostTokens = 100_000_000;
const count = z.int().nonnegative().max(mostTokens);

/** A text, or a list of parts. Only parts of the type `text` belong to the answer; some endpoints send the reasoning as other parts. */
const contentSchema = z.union([
  z.string(),
  z.array(z.unknown()).transform((parts) => parts.map(textOfPart).join('')),
]);
const partSchema = z.object({ type: z.literal('text'), text: z.string() });

function textOfPart(part: unknown): string {
  return typeof part === 'string' ? part : (partSchema.safeParse(part).data?.text ?? '');
}

/** Endpoints that separate the reasoning from the answer name the field in one of two ways. */
const reasoningSchema = z.string().nullish().catch(undefined);

const completionSchema = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({
          content: contentSchema.nullish(),
          refusal: z.string().nullish(),
          reasoning_content: reasoningSchema,
          reasoning: reasoningSchema,
        }),
      }),
    )
    .min(1),
  // Some endpoints report no usage, or none that can be added up.
  usage: z.object({ prompt_tokens: count, completion_tokens: count }).optional().catch(undefined),
});

/** An endpoint's answer, not yet validated. */
export interface ChatAnswer {
  /** May begin with the reasoning of the model. */
  readonly text: string;
  /** Length of all that the model wrote, its reasoning included, in UTF-16 units. */
  readonly length: number;
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
  const text = message.content ?? '';
  const reasoning = message.reasoning_content ?? message.reasoning ?? '';
  return {
    text,
    length: text.length + reasoning.length,
    ending: refused ? 'refused' : reason === 'length' ? 'cut' : 'whole',
    tokens: data.usage && { input: data.usage.prompt_tokens, output: data.usage.completion_tokens },
  };
}
