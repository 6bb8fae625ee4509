// The audit stream: NDJSON over HTTP, on every profile. An event has the fields of the topics, and `after` continues behind one.

const batchSize = 1_000;
const idleMs = 500;

/** Batches of events behind what the store has, each with the position to continue from. */
export async function* auditBatches(store, { url, key, follow, stop }) {
  const after = (await store.progress()).get('audit')?.position;
  const query = new URLSearchParams({ ...(after && { after }), ...(follow && { follow: 'true' }) });
  const response = await fetch(`${url.replace(/\/+$/, '')}/v1/audit/events?${query}`, {
    headers: { accept: 'application/x-ndjson', ...(key && { authorization: `Bearer ${key}` }) },
    signal: stop,
  }).catch((error) => {
    throw new Error(`no Stratalog answers at ${url}`, { cause: error });
  });
  if (!response.ok) {
    const { code, detail = response.statusText } = await response.json().catch(() => ({}));
    const advice =
      code === 'position-unknown'
        ? ' The file was filled from another log; name another one with --db.'
        : [401, 403].includes(response.status)
          ? ' The audit takes a key of role auditor or admin in STRATALOG_API_KEY.'
          : '';
    throw new Error(`${response.status} ${detail}${advice}`);
  }
  yield* inBatches(linesOf(response.body, stop));
}

/** Yields a batch when it is full, or when nothing more came for half a second. */
async function* inBatches(lines) {
  let batch = [];
  const iterator = lines[Symbol.asyncIterator]();
  let next = iterator.next();
  for (;;) {
    const idle = new Promise((resolve) => setTimeout(resolve, idleMs));
    const result = batch.length > 0 ? await Promise.race([next, idle]) : await next;
    if (result?.value) {
      batch.push(eventOf(JSON.parse(result.value)));
      next = iterator.next();
    }
    if (batch.length > 0 && (!result?.value || batch.length >= batchSize)) {
      yield batch;
      batch = [];
    }
    if (result?.done) return;
  }
}

function eventOf({ id, type, at, position, actor, data }) {
  return { source: 'audit', position, id, type, time: at, actor, data };
}

async function* linesOf(body, stop) {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of body) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop();
      yield* lines.filter((line) => line !== '');
    }
  } catch (error) {
    if (!stop.aborted) throw error;
  }
}
