/** A request as a client sent it. */
export interface SentRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  /** The JSON of the body; undefined if it is something else. */
  readonly body: unknown;
  /** Milliseconds since the first request. */
  readonly at: number;
}

type Answer = Response | Error | ((request: SentRequest) => Response | Promise<Response>);

/** A `fetch` that answers from a script, in order; the last answer is repeated. */
export function fakeFetch(...answers: readonly Answer[]): {
  readonly fetch: typeof fetch;
  readonly sent: SentRequest[];
} {
  const sent: SentRequest[] = [];
  let started: number | undefined;
  const fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    started ??= performance.now();
    const request = {
      method: init.method ?? 'GET',
      url: new URL(input as string),
      headers: new Headers(init.headers),
      body: typeof init.body === 'string' ? parsed(init.body) : undefined,
      at: performance.now() - started,
    };
    const answer = answers[Math.min(sent.push(request), answers.length) - 1]!;
    if (answer instanceof Error) throw answer;
    if (answer instanceof Response) return answer.clone();
    return untilAborted(init.signal, () => answer(request));
  };
  return { fetch, sent };
}

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });

export const problem = (
  status: number,
  code: string,
  more: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Response => json({ code, status, detail: `detail of ${code}`, requestId: 'r1', ...more }, status, headers);

/** An answer whose connection is lost after `text`. */
export function cutShort(text: string): Response {
  const parts = [text];
  return new Response(
    new ReadableStream({
      pull: (controller) => {
        const part = parts.shift();
        if (part === undefined) controller.error(new TypeError('terminated'));
        else controller.enqueue(new TextEncoder().encode(part));
      },
    }),
  );
}

/** As fetch does: a request whose signal is aborted rejects with the reason. */
function untilAborted(
  signal: AbortSignal | null | undefined,
  answer: () => Response | Promise<Response>,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error));
    Promise.resolve(answer()).then(resolve, reject);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
