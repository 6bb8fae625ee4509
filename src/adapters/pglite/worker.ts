import { parentPort, workerData } from 'node:worker_threads';
import { failureOf } from '../sql/error.ts';
import { Engine } from './engine.ts';
import { Maintenance } from './maintenance.ts';
import type { EngineEvent, EngineMessage, EngineRequest, WorkerData } from './protocol.ts';

/** Below this size, copying is faster than transferring the memory. */
const transferBytes = 4_096;

const port = parentPort!;
const emit = (event: EngineEvent): void => port.postMessage(event);

function stop(reason: string, code?: string): never {
  emit({ kind: 'stopped', reason, ...(code !== undefined && { code }) });
  process.exit(1);
}

const engine = await Engine.open(workerData as WorkerData, {
  notified: (channel) => emit({ kind: 'notification', channel }),
  noticed: (notice) => emit({ kind: 'notice', notice }),
  died: stop,
}).catch((error: NodeJS.ErrnoException) =>
  stop(error.message, error.code === 'ENOSPC' ? '53100' : undefined),
);

const maintenance = new Maintenance(engine, (message) =>
  emit({ kind: 'notice', notice: { severity: 'WARNING', message } }),
);
let last: Promise<void> = Promise.resolve();

/** Runs `work` after everything that was queued before. */
function enqueue(work: () => Promise<void>): void {
  last = last.then(work).catch((error: unknown) => stop(String(error)));
}

port.on('message', ({ id, request, background }: EngineMessage) => {
  enqueue(async () => {
    maintenance.used(background);
    try {
      const reply = new Uint8Array(await answer(request));
      const transferred = reply.length > transferBytes ? [reply.buffer] : [];
      port.postMessage({ kind: 'reply', id, reply } satisfies EngineEvent, transferred);
    } catch (error) {
      emit({ kind: 'failure', id, failure: failureOf(error as Error) });
    }
    if (request.kind === 'close') process.exit(0);
  });
});

maintenance.start(enqueue);
emit({ kind: 'ready' });

async function answer(request: EngineRequest): Promise<Uint8Array> {
  if (request.kind === 'statement') return engine.statement(request.text, request.params, request.begin);
  if (request.kind === 'prepared') return engine.prepared(request.text, request.params);
  if (request.kind === 'script') return engine.script(request.statements);
  if (request.kind === 'clear-log') {
    await engine.clearLog();
    return new Uint8Array();
  }
  maintenance.stop();
  await engine.close();
  return new Uint8Array();
}
