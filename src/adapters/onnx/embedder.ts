import { availableParallelism } from 'node:os';
import { passagesOf, passageText } from '../../domain/text/passages.ts';
import { cachedQueries, type Embedder, type OnEmbeddingRun } from '../../ports/embedder.ts';
import { EmbeddingPool } from '../embedding/pool.ts';
import { pooledEmbedder } from '../embedding/pooled-embedder.ts';
import { startWorker } from '../worker-entry.ts';
import { BusyFlag } from './busy-flag.ts';
import { folderOf, type OnnxModel } from './models.ts';
import type { WorkerSetup } from './protocol.ts';
import { WorkerSlot } from './worker-slot.ts';

export interface OnnxEmbedderOptions {
  readonly model: OnnxModel;
  /** Threads that embed passages, at least 1; the number of cores by default. One more thread serves queries only. */
  readonly workers?: number;
  /** Folder of the model's files; by default, where a shipped model is. */
  readonly folder?: string;
  readonly onRun?: OnEmbeddingRun | undefined;
}

/**
 * Measured on two cores while passages are embedded: with a separate thread for queries and niced threads for passages, a query
 * takes a third less time (half beside a busy database), and passages still use all idle cores.
 */
const passageNice = 10;

/** How long an exit waits for busy threads. Embedding one text takes 0.1 s at most on an idle machine. */
const exitWithinMs = 2_000;

/**
 * Runs a model on threads of this process. Resolves when queries can be served; the threads for passages start with
 * the first passage. Rejects with `ModelMissing` if the model's files are missing or damaged.
 */
export async function openOnnxEmbedder(options: OnnxEmbedderOptions): Promise<Embedder> {
  // The library sends telemetry to its vendor unless this is set before it is loaded.
  process.env['ORT_DISABLE_TELEMETRY'] = '1';
  const { model, folder = folderOf(options.model) } = options;
  const workers = Math.max(1, options.workers ?? availableParallelism());
  const queries = threadOf(model, folder, 'query', 0);
  const passages = Array.from({ length: workers }, () => threadOf(model, folder, 'all', passageNice));
  const threads = [queries, ...passages];
  const endThreads = () => threads.forEach(({ busy }) => busy.endWhenIdle(exitWithinMs));
  process.on('exit', endThreads);
  try {
    await queries.slot.ready();
  } catch (error) {
    process.off('exit', endThreads);
    throw error;
  }
  const slots = threads.map(({ slot }) => slot);
  const embedder = pooledEmbedder(
    { id: model.id, dimension: model.dimension },
    new EmbeddingPool(slots, {
      batch: 1,
      attempts: 2,
      onRun: (run) => options.onRun?.({ model: model.id, ...run }),
    }),
    {
      window: 16 * workers,
      cachedQueries,
      partsOf: (text) => firstPassages(text, model.meanOfPassages ?? 0),
    },
  );
  return {
    ...embedder,
    async close() {
      await embedder.close();
      process.off('exit', endThreads);
    },
  };
}

/** The first `count` passages of a text, as they are embedded; none if it is short. */
function firstPassages(text: string, count: number): readonly string[] {
  return count === 0
    ? []
    : passagesOf(text)
        .slice(0, count)
        .map((passage) => passageText(text, passage));
}

function threadOf(model: OnnxModel, folder: string, role: 'all' | 'query', nice: number) {
  const busy = new BusyFlag();
  const workerData: WorkerSetup = { model, folder, nice, busy: busy.memory };
  const slot = new WorkerSlot(role, () => {
    busy.clear();
    return startWorker('onnx-worker', { workerData });
  });
  return { slot, busy };
}
