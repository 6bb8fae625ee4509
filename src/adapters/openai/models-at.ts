import { NotFoundError, type OpenAI } from 'openai';
import { z } from 'zod';
import { failureOf } from './model-failure.ts';

const listSchema = z.object({ data: z.array(z.object({ id: z.string() })) });

/**
 * The names of the models at an endpoint; undefined where it does not list them, as some do not. Rejects with
 * `LanguageModelFailed` where it does not answer or does not take the key.
 */
export async function modelsAt(client: OpenAI, signal: AbortSignal): Promise<string[] | undefined> {
  try {
    const { success, data } = listSchema.safeParse(await client.get('/models', { signal }));
    return success ? data.data.map(({ id }) => id) : undefined;
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw failureOf(error, client.baseURL);
  }
}
