import { parentPort, workerData } from 'node:worker_threads';
import { BusyFlag } from './busy-flag.ts';
import { Encoder } from './encoder.ts';
import { ModelMissing } from './model-files.ts';
import { niceThread } from './nice.ts';
import type { WorkerAnswer, WorkerRequest, WorkerSetup } from './protocol.ts';

const port = parentPort ?? failOutsideOfWorker();
const setup = workerData as WorkerSetup;
const busy = new BusyFlag(setup.busy);

try {
  const encoder = await busy.during(() => Encoder.load(setup.model, setup.folder));
  niceThread(setup.nice);
  port.on('message', (request: WorkerRequest) => void serve(encoder, request));
  answer({ kind: 'ready' });
} catch (error) {
  answer({ kind: 'not-loaded', missing: error instanceof ModelMissing, message: messageOf(error) });
}

async function serve(encoder: Encoder, request: WorkerRequest): Promise<void> {
  if (request.kind === 'close') {
    await busy.during(() => encoder.close());
    port.close();
    return;
  }
  try {
    const embedded = await busy.during(() => encoder.embed(request.text, request.purpose));
    const vector = new Float32Array(embedded.vector);
    answer({ kind: 'vector', vector, tokens: embedded.tokens }, [vector.buffer]);
  } catch (error) {
    answer({ kind: 'failed', message: messageOf(error) });
  }
}

function answer(message: WorkerAnswer, transfer: ArrayBuffer[] = []): void {
  port.postMessage(message, transfer);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function failOutsideOfWorker(): never {
  throw new Error('onnx-worker is the entry of a worker thread');
}
