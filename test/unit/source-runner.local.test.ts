import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '../../src/adapters/random.ts';
import { commandServices, type CommandContext, type CommandServices } from '../../src/commands/context.ts';
import { configureSource, removeSource, requestRun } from '../../src/commands/sources/configure-source.ts';
import { lastRun } from '../../src/commands/sources/load-sources.ts';
import { sourceConfigSchema } from '../../src/domain/sources/source-config.ts';
import type { Term } from '../../src/follow/processor.ts';
import { systemClock } from '../../src/ports/clock.ts';
import { FetchFailed, type Fetcher } from '../../src/ports/fetcher.ts';
import type { Leases } from '../../src/ports/leases.ts';
import { SourceRunner } from '../../src/reactors/source-runner.ts';
import { adminOf } from '../support/admin.ts';
import { openTestStore, type TestStore } from '../support/event-store.ts';
import { eventually } from '../support/eventually.ts';

let test: TestStore;
let services: CommandServices;
beforeAll(async () => {
  test = await openTestStore();
  services = commandServices({ store: test.store, vault: test.vault, clock: systemClock, newId });
});
afterAll(() => test.close());

const contextOf = (tenant: string): CommandContext => ({
  caller: adminOf(tenant),
  cause: 'user',
  correlationId: 's',
});

/** Leases that several processes share. */
class SharedLeases {
  readonly #holders = new Map<string, string>();

  of(process: string): Leases {
    return {
      hold: async (name) => {
        const holder = this.#holders.get(name) ?? process;
        this.#holders.set(name, holder);
        return holder === process ? 1 : undefined;
      },
      holders: async () => new Map(),
      release: async (name) => {
        if (this.#holders.get(name) === process) this.#holders.delete(name);
      },
    };
  }
}

/** Starts a worker whose fetches are `fetch`. */
function startWorker(leases: Leases, fetch: Fetcher['fetch']) {
  const ending = new AbortController();
  const errors: unknown[] = [];
  const term: Term = {
    epoch: 0,
    signal: ending.signal,
    began: () => undefined,
    reached: () => undefined,
    isHeld: true,
    report: (error) => errors.push(error),
    fail: (error) => errors.push(error),
  };
  const content = { mediaType: 'text/plain', contentType: 'note', blocks: [], replacements: 0 };
  const runner = new SourceRunner(
    {
      services,
      leases,
      reader: { read: () => Promise.resolve(content) },
      route: () => Promise.resolve({ spaces: [], because: 'none', details: {} }),
      fetcher: { fetch },
      folders: { list: () => Promise.resolve({ files: [], isComplete: true }) },
      reads: { documents: () => Promise.resolve([]) },
    },
    { ...contextOf('system'), caller: { ...adminOf('system'), principal: 'system' }, cause: 'system' },
  );
  const running = runner.run(term);
  return {
    errors,
    async stop() {
      ending.abort();
      await running;
    },
  };
}

const fetched = {
  status: 200,
  notModified: false,
  bytes: Buffer.from('a page'),
  mediaType: 'text/plain',
  etag: undefined,
  lastModified: undefined,
  url: 'https://a.example/',
};

async function configure(tenant: string, id: string): Promise<void> {
  const fields = { type: 'page', url: `https://a.example/${id}`, schedule: '@quarterly', layer: 'company' };
  await configureSource(services, contextOf(tenant), id, sourceConfigSchema.parse(fields));
}

it('one worker reads a source, however many wait for it', async () => {
  const asked: string[] = [];
  const fetch: Fetcher['fetch'] = async ({ url }) => {
    asked.push(url);
    await new Promise((resolve) => setTimeout(resolve, 100));
    return fetched;
  };
  const leases = new SharedLeases();
  const workers = ['one', 'two', 'three'].map((process) => startWorker(leases.of(process), fetch));
  await configure('acme', 'page');
  for (let round = 1; round <= 3; round++) {
    await requestRun(services, contextOf('acme'), 'page');
    await eventually(async () => (await lastRun(services, 'acme', 'page'))?.run.seen).toBe(round);
  }
  await new Promise((resolve) => setTimeout(resolve, 300));
  await Promise.all(workers.map((worker) => worker.stop()));
  expect(asked).toHaveLength(3);
  expect(workers.flatMap(({ errors }) => errors)).toEqual([]);
});

it('a run that was cut off is made up for, and one that fails is counted', async () => {
  const leases = new SharedLeases();
  await configure('beta', 'page');
  await requestRun(services, contextOf('beta'), 'page');
  let isAsked = false;
  const first = startWorker(leases.of('one'), (_, signal) => {
    isAsked = true;
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  });
  await eventually(() => isAsked).toBe(true);
  await first.stop();
  expect(await lastRun(services, 'beta', 'page')).toBeUndefined();

  const second = startWorker(leases.of('two'), () => {
    throw new FetchFailed('refused', 'the server answers with the status 500', { status: 500 });
  });
  await eventually(async () => (await lastRun(services, 'beta', 'page'))?.run).toMatchObject({
    failures: 1,
    problem: 'refused',
    detail: 'the server answers with the status 500',
  });
  await requestRun(services, contextOf('beta'), 'page');
  await eventually(async () => (await lastRun(services, 'beta', 'page'))?.run.failures).toBe(2);
  await second.stop();
  expect([...first.errors, ...second.errors]).toEqual([]);
});

it('what was removed is not read, and neither is what nobody can read any more', async () => {
  const asked: string[] = [];
  await configure('gamma', 'gone');
  await requestRun(services, contextOf('gamma'), 'gone');
  await removeSource(services, contextOf('gamma'), 'gone', {});
  await configure('delta', 'erased');
  await requestRun(services, contextOf('delta'), 'erased');
  await test.vault.destroy('delta', 'tenant');
  const worker = startWorker(new SharedLeases().of('one'), async ({ url }) => {
    asked.push(url);
    return fetched;
  });
  await configure('gamma', 'here');
  await requestRun(services, contextOf('gamma'), 'here');
  await eventually(async () => (await lastRun(services, 'gamma', 'here'))?.run.found).toBe(1);
  await worker.stop();
  expect(asked).toEqual(['https://a.example/here']);
  expect(worker.errors).toEqual([]);
});
