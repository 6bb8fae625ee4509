import { ConnectionLostError, UnreachableError } from './errors.ts';

/** The lines of an NDJSON answer, parsed, as they arrive. Throws `ConnectionLostError` if it ends early. */
export async function* linesOf<Line>(response: Response): AsyncGenerator<Line> {
  let rest = '';
  for await (const text of textOf(response)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    for (const line of lines) if (line !== '') yield parsed(line, notStratalog) as Line;
  }
  if (rest.trim() !== '') yield parsed(rest, lost) as Line;
}

/** The text of an answer as it arrives. Throws `ConnectionLostError` if it ends early. */
export async function* textOf(response: Response): AsyncGenerator<string> {
  const reader = response.body?.getReader();
  if (!reader) return;
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { value, done } = await reader.read().catch((cause: unknown) => lost(cause));
      if (done) return;
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    // Tells the server that the caller stopped reading.
    reader.cancel().catch(() => undefined);
  }
}

function parsed(text: string, fail: (cause: unknown) => never): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    return fail(cause);
  }
}

function notStratalog(cause: unknown): never {
  throw new UnreachableError('something other than Stratalog answers', { cause });
}

export function lost(cause: unknown): never {
  throw new ConnectionLostError('the connection was lost in the middle of the answer', { cause });
}
