import { NotFoundError, type OpenAI } from 'openai';
import { z } from 'zod';
import { failureOf } from './model-failure.ts';

const listSchema = z.object({ data: z.array(z.object({ id: z.string() })) });

/**
 * The names of the models at an endpoint; undefined if it does not list them, as some endpoints do. Rejects with
 * `LanguageModelFailed` if it does not answer or does not accept the key.
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
