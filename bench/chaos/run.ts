import { setTimeout as sleep } from 'node:timers/promises';
import { clientWithKey } from '../../test/support/api.ts';
import { Load, type LoadTenant, type TimedAnswer } from '../../test/support/load.ts';
import { randomOf, type Random } from '../../test/support/random.ts';
import { flood, floodShapes, textOf, type FloodShape } from '../support/floods.ts';
import type { Sample, Span } from './latency.ts';
import { Registers } from './registers.ts';
import { schedule, type PlannedFault } from './schedule.ts';
import type { ChaosFault, World } from './world.ts';

export interface ChaosOptions {
  readonly minutes: number;
  readonly seed: number;
  /** Tenants that store, change and search; one that is quiet and one that floods come on top. */
  readonly tenants: number;
}

/** A fault that was injected. Times are milliseconds since the run began. */
export interface InjectedFault extends Span {
  readonly name: string;
  readonly isFlood: boolean;
}

/** What was sent, and what happened meanwhile. */
export interface ChaosRun {
  readonly loads: readonly Load[];
  readonly registers: Registers;
  /** All tenants that wrote to the log. */
  readonly tenants: readonly LoadTenant[];
  readonly samples: readonly Sample[];
  readonly faults: readonly InjectedFault[];
  /** Faults that could not be injected or ended, with the error. */
  readonly failures: readonly string[];
  readonly totalMs: number;
}

const busyClients = 8;
const busyPauseMs = 80;
const quietPauseMs = 100;
const floodedMemories = 400;

/** Names of tenants in reports. */
export const quietName = 'quiet';
export const floodName = 'flood';

/** Runs the mixed load for the given time while the faults of the world are injected as the schedule of the seed says. */
export async function runChaos(
  world: World,
  { minutes, seed, tenants }: ChaosOptions,
  say: (text: string) => void,
): Promise<ChaosRun> {
  const random = randomOf(seed);
  const names = new Map<string, string>();
  const samples: Sample[] = [];
  let beganAt = performance.now();
  const onAnswer = ({ tenant, kind, sentAt, ms, outcome }: TimedAnswer): void =>
    void samples.push({
      tenant: names.get(tenant)!,
      isSearch: kind === 'search',
      atMs: sentAt - beganAt,
      ms,
      isAnswered: outcome !== 'unknown',
    });
  const busy = await Load.begin(world.address, { seed, tenants, pauseMs: busyPauseMs, onAnswer });
  const quiet = await Load.begin(world.address, {
    seed: seed + 1,
    tenants: 1,
    pauseMs: quietPauseMs,
    onAnswer,
  });
  busy.tenants.forEach(({ id }, index) => names.set(id, `busy ${index + 1}`));
  names.set(quiet.tenants[0]!.id, quietName);
  const registers = await Registers.begin(world.address, seed);
  const flooding = await floodingTenant(world, seed);

  const totalMs = Math.round(minutes * 60_000);
  const ended = new AbortController();
  beganAt = performance.now();
  const faults = [
    ...world.faults,
    ...floodShapes.map((shape) =>
      floodFault(world, flooding, shape, (status, ms) =>
        samples.push({
          tenant: floodName,
          isSearch: true,
          atMs: performance.now() - beganAt - ms,
          ms,
          isAnswered: status === 200,
        }),
      ),
    ),
  ];
  const running = Promise.all([
    busy.run(world.urls, busyClients, ended.signal),
    quiet.run(world.urls, 1, ended.signal),
    registers.run(world.urls, ended.signal),
  ]);
  const conducted = conduct(faults, totalMs, random, beganAt, say);
  await Promise.all([conducted, sleep(totalMs)]);
  ended.abort();
  await world.heal();
  await running;
  const { injected, failures } = await conducted;
  return {
    loads: [busy, quiet],
    registers,
    tenants: [...busy.tenants, ...quiet.tenants, registers.tenant, flooding],
    samples,
    faults: injected,
    failures,
    totalMs: performance.now() - beganAt,
  };
}

/** Injects the faults at their times. If one takes longer than planned, all later ones begin later. */
async function conduct(
  faults: readonly ChaosFault[],
  totalMs: number,
  random: Random,
  beganAt: number,
  say: (text: string) => void,
): Promise<{ injected: InjectedFault[]; failures: string[] }> {
  const injected: InjectedFault[] = [];
  const failures: string[] = [];
  const now = (): number => performance.now() - beganAt;
  let lateMs = 0;
  const inject = async (fault: ChaosFault, { atMs, forMs }: PlannedFault): Promise<void> => {
    const fromMs = now();
    say(`${clock(fromMs)} ${fault.name}`);
    try {
      await fault.inject(forMs, random.fork());
    } catch (error) {
      failures.push(`${fault.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
    const toMs = now();
    lateMs = Math.max(lateMs, toMs - atMs - forMs);
    injected.push({ name: fault.name, isFlood: fault.isFlood === true, fromMs, toMs });
  };
  let disturbing: Promise<void> = Promise.resolve();
  const flooding: Promise<void>[] = [];
  for (const planned of schedule(faults, totalMs, random)) {
    await disturbing;
    await sleep(Math.max(0, planned.atMs + lateMs - now()));
    if (now() + planned.forMs > totalMs) break;
    const fault = faults.find(({ name }) => name === planned.name)!;
    if (fault.isFlood === true) flooding.push(inject(fault, planned));
    else disturbing = inject(fault, planned);
  }
  await Promise.all([disturbing, ...flooding]);
  injected.sort((left, right) => left.fromMs - right.fromMs);
  return { injected, failures };
}

/** `1:05` for a time of 65 s. */
export function clock(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

async function floodingTenant(world: World, seed: number): Promise<LoadTenant> {
  const id = `flood_${seed}`;
  const client = await clientWithKey(world.address, { tenant: id, role: 'admin', user: 'ada' });
  const random = randomOf(seed + 2);
  const lines = Array.from({ length: floodedMemories }, (_, n) => ({
    content: `${textOf(12, () => random.next())} ${n}`,
  }));
  await client.bulk(lines);
  return { id, key: client.key!, memories: [] };
}

function floodFault(
  { urls }: World,
  { key }: LoadTenant,
  shape: FloodShape,
  onAnswer: (status: number, ms: number) => void,
): ChaosFault {
  return {
    name: `flood of ${shape.name}`,
    lasts: [6_000, 12_000],
    isFlood: true,
    async inject(forMs, random) {
      const next = (): number => random.next();
      const url = (): string => random.pick(urls);
      await flood(shape, { url, key, next, signal: AbortSignal.timeout(forMs), onAnswer });
    },
  };
}
