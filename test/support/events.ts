import type { Client, Json } from './api.ts';

/** All of a tenant's audit events that match `query`, read page by page, up to at least `minPosition`. */
export async function auditEvents(client: Client, query = '', minPosition?: string): Promise<Json[]> {
  const parameters = new URLSearchParams(query);
  if (!parameters.has('limit')) parameters.set('limit', '500');
  if (minPosition !== undefined) {
    parameters.set('minPosition', minPosition);
    parameters.set('waitMs', '30000');
  }
  const items: Json[] = [];
  for (;;) {
    const reply = await client.get(`/v1/audit/events?${parameters.toString()}`);
    if (reply.status !== 200) throw new Error(`audit answered ${reply.status} ${JSON.stringify(reply.body)}`);
    items.push(...reply.body.items);
    if (reply.body.nextCursor === undefined) return items;
    parameters.set('cursor', reply.body.nextCursor);
  }
}

/** An NDJSON response that is read line by line while it is sent. */
export interface LineStream {
  readonly status: number;
  /** The next line; rejects if the stream ends first. */
  next(): Promise<Json>;
  close(): void;
}

export async function openLines(url: string, key: string | undefined): Promise<LineStream> {
  const abort = new AbortController();
  const response = await fetch(url, {
    signal: abort.signal,
    headers: { accept: 'application/x-ndjson', ...(key !== undefined && { authorization: `Bearer ${key}` }) },
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let buffered = '';
  return {
    status: response.status,
    async next() {
      for (;;) {
        const end = buffered.indexOf('\n');
        if (end >= 0) {
          const line = buffered.slice(0, end);
          buffered = buffered.slice(end + 1);
          return JSON.parse(line);
        }
        const { value, done } = await reader.read();
        if (done) throw new Error(`the stream ended: ${buffered}`);
        buffered += value;
      }
    },
    close: () => abort.abort(),
  };
}
