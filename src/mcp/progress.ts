import type { ServerContext } from '@modelcontextprotocol/server';

/** How often a client that asked for progress hears that its call still runs. */
const intervalMs = 1_000;

/** Notifies the client while the work runs, if its request has a progress token. */
export async function withProgress<Result>(
  { mcpReq }: Pick<ServerContext, 'mcpReq'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const { _meta: meta } = mcpReq;
  const token = meta?.progressToken;
  if (token === undefined) return work();
  let progress = 0;
  const timer = setInterval(() => {
    progress++;
    const params = { progressToken: token, progress, message: `running for ${progress} s` };
    // The client may have gone.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => clearInterval(timer));
  }, intervalMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
