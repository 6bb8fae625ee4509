import { tmpdir } from 'node:os';
import path from 'node:path';
import { caughtUp, LogReader, rebuild } from '../../test/support/log-reader.ts';
import {
  faultsOfAnswers,
  faultsOfCommands,
  faultsOfLog,
  faultsOfSearches,
} from '../../test/support/oracle.ts';
import { settledBy } from './history.ts';
import { checkLinearizability, type Checked } from './linearizability.ts';
import type { ChaosRun } from './run.ts';
import type { World } from './world.ts';

/** One thing that must hold, and where it did not. */
export interface Rule {
  readonly rule: string;
  readonly checked: string;
  readonly violations: readonly string[];
}

export interface Verdict {
  readonly rules: readonly Rule[];
  readonly events: number;
  /** Commands whose first attempt had no answer, and those of them that were repeated. */
  readonly unknown: number;
  readonly linearizability: Checked;
}

const repeatedAcknowledged = 60;
const readOneByOne = 60;
const patienceMs = 180_000;

/** Waits until the program is at rest, and compares everything that it acknowledged with its log, its answers and a rebuild. */
export async function verify(world: World, run: ChaosRun): Promise<Verdict> {
  const [url] = world.urls as [string];
  const { loads, tenants } = run;
  const commands = loads.flatMap((load) => load.commands);
  const unknown = commands.filter(({ attempts }) => attempts[0]!.outcome === 'unknown').length;
  await caughtUp({ url }, patienceMs);
  for (const load of loads)
    await load.repeat(url, [...load.unsettled(), ...load.sampleAcknowledged(repeatedAcknowledged)]);
  const head = await caughtUp({ url }, patienceMs);
  const log = new LogReader(tenants);
  await log.read(url);
  const { events } = log;
  const attempted = commands.reduce((sum, { attempts }) => sum + attempts.length, 0);
  const searches = loads.flatMap((load) => load.searches);
  const answers: string[] = [];
  for (const tenant of tenants) answers.push(...(await faultsOfAnswers(url, tenant, events, readOneByOne)));
  const rebuilt = await rebuild(url, tenants[0]!.key);
  const picture = path.join(tmpdir(), `stratalog-linearizability-${process.pid}.html`);
  const { history } = run.registers;
  const unanswered = history.filter(({ answer, kind }) => answer === undefined && kind !== 'read').length;
  const linearizability = await checkLinearizability(settledBy(events, history), picture);
  return {
    events: events.length,
    unknown,
    linearizability,
    rules: [
      {
        rule: 'the log has no gap, no duplicate and no command that wrote twice',
        checked: `${events.length} events`,
        violations: faultsOfLog(events, world.hasDensePositions ? head : 0),
      },
      {
        rule: 'every acknowledged command is in the log once, as acknowledged; no refused one is',
        checked: `${commands.length} commands, ${attempted} attempts`,
        violations: faultsOfCommands(commands, events),
      },
      {
        rule: 'a command without an answer is answered when it is repeated',
        checked: `${unknown} without an answer at first`,
        violations: loads.flatMap((load) => load.unsettled()).map(({ method, path }) => `${method} ${path}`),
      },
      {
        rule: 'no answer is unexpected',
        checked: `${attempted + searches.length} answers`,
        violations: loads.flatMap((load) => load.surprises),
      },
      {
        rule: 'no search is recorded twice',
        checked: `${searches.length} searches`,
        violations: faultsOfSearches(searches, events, false),
      },
      {
        rule: 'lists, memories and histories answer what the log says',
        checked: `${tenants.length} tenants, up to ${readOneByOne} memories of each one by one`,
        violations: answers,
      },
      {
        rule: 'every read model equals a rebuild',
        checked: `${rebuilt.length} read models`,
        violations: rebuilt
          .filter(({ equal }) => !equal)
          .map(({ name }) => `${name} differs from its rebuild`),
      },
      {
        rule: 'commands on one memory are linearizable (porcupine)',
        ...linearizabilityRule(linearizability, unanswered, picture),
      },
      {
        rule: 'no process ends by itself, and each fault can be ended',
        checked: `${run.faults.length} faults`,
        violations: [...world.endedByThemselves, ...run.failures],
      },
    ],
  };
}

function linearizabilityRule(checked: Checked, unanswered: number, picture: string): Omit<Rule, 'rule'> {
  if ('unavailable' in checked) return { checked: `not checked: ${checked.unavailable}`, violations: [] };
  const { operations, memories, illegal, undecided, findsStaleRead } = checked;
  const control =
    findsStaleRead === undefined
      ? 'the history had no place for a stale read as control'
      : 'control: a stale read is found';
  return {
    checked: `${operations} operations on ${memories} memories, ${unanswered} without an answer, settled by the log; ${control}`,
    violations: [
      ...illegal.map((id) => `the history of ${id} is not linearizable; ${picture} shows the first one`),
      ...undecided.map((id) => `the history of ${id} could not be decided in time`),
      ...(findsStaleRead === false ? ['the checker accepted a stale read'] : []),
    ],
  };
}
