import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import { Cluster, hasCluster, type Role } from '../support/cluster.ts';
import { drawFaults, faultClasses, oneOfEachClass, type Fault } from '../support/cluster-faults.ts';
import { Load, type Command } from '../support/load.ts';
import { caughtUp, LogReader, rebuild } from '../support/log-reader.ts';
import { faultsOfAnswers, faultsOfCommands, faultsOfLog, faultsOfSearches } from '../support/oracle.ts';
import { faultSeed, randomOf } from '../support/random.ts';
import { readModelNames } from '../support/read-model-names.ts';
import { whyNoSmallDisk } from '../support/small-disk.ts';

/** Number of faults, set by `npm run faults`. By default one of each of four classes, others in the next run. */
const given = process.env['STRATALOG_FAULT_COUNT'];
/**
 * Faults per cluster. Each fault makes the log longer and the comparison with it slower, so a new cluster starts with an
 * empty log.
 */
const perCluster = 30;
const roles: readonly Role[] = ['api', 'api', 'relay', 'relay', 'projector', 'projector', 'worker'];
const say = (text: string): void => void process.stdout.write(`${text}\n`);

const seed = faultSeed('cluster-faults');
const random = randomOf(seed);
const firstRebuilt = random.int(0, readModelNames.length - 1);
/** The read models to rebuild after a fault: a rebuild of all takes as long as the fault, and a few runs reach each of them. */
const rebuilt = (fault: number): string[] =>
  [0, 1, 2].map((n) => readModelNames[(firstRebuilt + 3 * fault + n) % readModelNames.length]!);
const whyNoDisk = whyNoSmallDisk();
if (whyNoDisk !== undefined) say(`no fault with a full disk: ${whyNoDisk}`);
const classes = faultClasses(whyNoDisk);
const faults = Object.assign({}, ...Object.values(classes)) as Readonly<Record<string, Fault>>;
const drawn =
  given === undefined
    ? drawFaults(oneOfEachClass(classes, random), 4, random)
    : drawFaults(Object.keys(faults), Number(given), random);

for (let first = 0; first < drawn.length; first += perCluster)
  describe.runIf(hasCluster)(`a cluster under load, from fault ${first + 1} on`, () => {
    let cluster: Cluster;
    let load: Load;
    let log: LogReader;

    beforeAll(async () => {
      cluster = await Cluster.start(roles);
      load = await Load.begin(cluster.of('api')[0]!, { seed: seed + first, pauseMs: 60 });
      log = new LogReader(load.tenants);
    }, 600_000);

    afterAll(() => cluster?.remove(), 60_000);

    it.each(drawn.slice(first, first + perCluster).map((name, index) => [first + index + 1, name] as const))(
      '[G2] [G3] keeps every acknowledged command exactly once, and its read models catch up, after fault %i: %s',
      // No retry, because it would find what the first attempt left in the log.
      { timeout: 900_000, retry: 0 },
      async (number, name) => {
        onTestFailed(() => say(cluster.recentWarnings().join('\n')));
        const started = performance.now();
        const before = load.commands.length;
        const ended = new AbortController();
        const running = load.run(cluster.urls, 6, ended.signal);
        try {
          await sleep(random.int(500, 1_500));
          await faults[name]!(cluster, random);
          await sleep(500);
        } finally {
          ended.abort();
          await running;
        }

        const url = random.pick(cluster.urls);
        await caughtUp({ url });
        await load.repeat(url, [...load.unsettled(), ...load.sampleAcknowledged(10)]);
        await caughtUp({ url });
        await log.read(url);
        const sent = load.commands.slice(before);
        const wrong = [
          ...faultsOfLog(log.events),
          ...faultsOfCommands(sent, log.events),
          ...faultsOfSearches(load.searches, log.events, false),
          ...load.surprises,
          ...(await faultsOfAnswers(url, random.pick(load.tenants), log.events, 25)),
        ];
        const compared = await rebuild(url, load.tenants[0]!.key, ...rebuilt(number));
        const unequal = compared.filter(({ equal }) => !equal);
        const seconds = Math.round((performance.now() - started) / 100) / 10;
        say(
          `fault ${number} of ${drawn.length}, ${name}: ${outcomes(sent)}; ${log.events.length} events in the log, ` +
            `${wrong.length} wrong; ${compared.length - unequal.length} of ${compared.length} read models equal a rebuild; ${seconds} s`,
        );
        expect(wrong).toEqual([]);
        expect(load.unsettled()).toEqual([]);
        expect(unequal).toEqual([]);
      },
    );
  });

/** Number of commands by first and final outcome. */
function outcomes(commands: readonly Command[]): string {
  const countOf = (which: 0 | -1, outcome: string): number =>
    commands.filter(({ attempts }) => attempts.at(which)!.outcome === outcome).length;
  return (
    `${commands.length} commands, ${countOf(-1, 'acknowledged')} acknowledged, ${countOf(-1, 'refused')} refused, ` +
    `${countOf(0, 'unknown')} without an answer at first`
  );
}
