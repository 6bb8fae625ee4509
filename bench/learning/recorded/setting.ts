import path from 'node:path';
import { groupBy } from '../../../src/domain/group-by.ts';
import { readDataSet, type Memory, type Query } from '../../ranking/datasets.ts';
import { copyData, withScratch } from '../../support/folders.ts';
import type { HttpClient, Json } from '../../support/http.ts';
import { Program } from '../../support/program.ts';
import { coin, Task, type Goal } from './agent.ts';

/** Share of the questions that are never asked while the server learns. */
const heldOut = 0.3;
const linesAtOnce = 500;
/** Longer than outcomes take to be counted. */
export const settleMs = 5_000;

/** The tenant of a data set that has the most questions. */
export interface Recorded {
  readonly tenant: string;
  readonly memories: readonly Memory[];
  /** Agents ask these. */
  readonly asked: readonly Task[];
  /** These show what was learned. */
  readonly held: readonly Task[];
}

export async function readRecorded(folder: string, set: string, goal: Goal, seed: string): Promise<Recorded> {
  const { memories, queries } = await readDataSet(folder, set);
  const tenantOf = ({ scope }: Pick<Query, 'scope'>): string => scope['tenant'] ?? set;
  const tenants = [...groupBy(queries, tenantOf)];
  const [tenant, own] = tenants.reduce((most, one) => (one[1].length > most[1].length ? one : most));
  const documents = new Map(memories.map(({ id, metadata }) => [id, metadata?.doc ?? id]));
  const tasks = own.filter(({ gold }) => gold.length > 0).map((query) => new Task(query, documents, goal));
  const isHeld = ({ query }: Task): boolean => coin('held out', seed, query.id) < heldOut;
  return {
    tenant,
    memories: memories.filter((memory) => tenantOf(memory) === tenant),
    asked: tasks.filter((task) => !isHeld(task)),
    held: tasks.filter(isHeld),
  };
}

/** A server that has the memories and has learned nothing, with the clients that use it. */
export interface Setting {
  readonly admin: HttpClient;
  /** Asks in sessions and posts outcomes. */
  readonly agent: HttpClient;
  /** Has never posted an outcome, so its questions without a session are never used to explore. */
  readonly observer: HttpClient;
}

/** Starts a server on a new copy of the loaded data folder, and stops it afterwards. */
export type FreshServer = (measure: (setting: Setting) => Promise<void>) => Promise<void>;

/** Loads the memories once, for any number of fresh servers. */
export function withFreshServers(
  { tenant, memories }: Recorded,
  use: (fresh: FreshServer) => Promise<void>,
): Promise<void> {
  return withScratch(async (folder) => {
    const loaded = path.join(folder, 'loaded');
    await load(loaded, tenant, memories);
    let copies = 0;
    await use(async (measure) => {
      const dataDir = path.join(folder, `copy-${++copies}`);
      await copyData(loaded, dataDir);
      await withProgram(dataDir, async (program) => {
        const [admin, agent, observer] = await Promise.all(
          ['admin', 'agent', 'observer'].map((name) => program.client({ tenant, role: 'admin', name })),
        );
        await measure({ admin: admin!, agent: agent!, observer: observer! });
      });
    });
  });
}

async function load(dataDir: string, tenant: string, memories: readonly Memory[]): Promise<void> {
  await withProgram(dataDir, async (program) => {
    const client = await program.client({ tenant, role: 'admin' });
    for (let from = 0; from < memories.length; from += linesAtOnce) {
      const lines = await client.bulk(memories.slice(from, from + linesAtOnce).map(bodyOf));
      const wrong = lines.find(({ status }) => status !== 201);
      if (wrong) throw new Error(`not stored: ${JSON.stringify(wrong)}`);
      process.stderr.write(`\rloading ${from + lines.length} of ${memories.length} memories`);
    }
    await program.caughtUp();
    process.stderr.write('\n');
  });
}

async function withProgram(dataDir: string, use: (program: Program) => Promise<void>): Promise<void> {
  const program = await Program.start({ dataDir, embedder: 'onnx' });
  try {
    await use(program);
  } finally {
    await program.stop();
  }
}

function bodyOf({ id, text, layer = 'company', scope, metadata = {}, timestamp }: Memory): Json {
  const { tenant: _, ...identifiers } = scope;
  const occurredAt = timestamp === undefined ? undefined : new Date(timestamp).toISOString();
  return { content: text, layer, scope: identifiers, metadata, externalId: id, occurredAt };
}
