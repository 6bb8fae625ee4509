// Tries to see what belongs to other tenants and scopes, through every surface, over HTTP and MCP.
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Benchmark } from '../support/benchmark.ts';
import { withScratch } from '../support/folders.ts';
import type { HttpClient, Json } from '../support/http.ts';
import { Program } from '../support/program.ts';
import { pick, randomFrom } from '../support/random.ts';
import type { Report } from '../support/report.ts';
import { inLanes } from '../support/statistics.ts';
import { probeKinds, reachFurther, type ProbeKind, type Target } from './probes/kinds.ts';
import { maySee, proofsIn } from './probes/secrets.ts';
import { openProbeWorld, type Asker, type ProbeWorld } from './probes/world.ts';

const usual = 50_000;
const lanes = 8;
/** Share of probes that aim at what the caller may see, to prove that they would find something. */
const controlShare = 0.2;
const shownLeaks = 10;
const uses = 8;
const patienceMs = 60_000;

interface Tally {
  sent: number;
  seen: number;
  controls: number;
  found: number;
  readonly statuses: Map<number, number>;
}

export const probes: Benchmark = {
  name: 'probes',
  about: `${usual} probes (--count) of two tenants and their scopes over HTTP and MCP, with contexts, summaries, lessons and values`,
  async run({ profile, count = usual, seed }, report) {
    await withScratch(async (folder) => {
      const program = await Program.start({
        dataDir: path.join(folder, 'data'),
        embedder: 'deterministic',
        profile,
      });
      const random = randomFrom(seed);
      const world = await openProbeWorld(program, random);
      const leaks: string[] = [];
      const tallies = new Map<string, Tally>(
        probeKinds.map(({ name }) => [
          name,
          { sent: 0, seen: 0, controls: 0, found: 0, statuses: new Map() },
        ]),
      );
      await inLanes(lanes, count, async (index) => {
        const kind = probeKinds[index % probeKinds.length]!;
        leaks.push(...(await probe(world, kind, tallies.get(kind.name)!, random)));
      });
      leaks.push(...(await changedMemories(world)));
      leaks.push(...(await valuesOfOthers(world, report)));
      showTallies(report, tallies);
      report.figure({
        name: 'leaks',
        value: leaks.length,
        unit: `of ${count}`,
        target: { of: 'value', most: 0 },
      });
      report.check(
        'nothing foreign was shown or changed',
        leaks.length === 0,
        leaks.slice(0, shownLeaks).join('; '),
      );
      const missed = probeKinds.filter(({ name, finds }) => {
        const { controls, found, seen } = tallies.get(name)!;
        return found < controls || (finds !== 'nothing' && seen === 0);
      });
      report.check(
        'every positive control was found',
        missed.length === 0,
        missed.map(({ name }) => name).join(', '),
      );
      await world.close();
      await program.stop();
    });
  },
};

/** Sends one probe, and returns the leaks that it found. */
async function probe(
  { askers, memories, secrets }: ProbeWorld,
  kind: ProbeKind,
  tally: Tally,
  random: () => number,
): Promise<string[]> {
  const asker = pick(askers, random);
  const isControl = random() < controlShare && !kind.isChange;
  const memory = pick(
    memories.filter((one) => maySee(asker, one) === isControl),
    random,
  );
  const own = pick(
    memories.filter((one) => maySee(asker, one)),
    random,
  );
  const others = askers.filter((other) => other !== asker);
  const target: Target = {
    memory,
    own,
    secret: pick([...secrets.values()], random),
    other: pick(others, random),
  };
  const { status, text } = await kind.ask(asker, target, isControl ? {} : reachFurther(target, random));
  tally.sent++;
  tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
  const shown = proofsIn(text);
  const seen = shown.filter((proof) => maySee(asker, secrets.get(proof)!));
  if (seen.length > 0) tally.seen++;
  if (isControl && (kind.finds === 'it' || kind.finds === 'something')) {
    tally.controls++;
    if (kind.finds === 'it' ? shown.includes(memory.proof) : seen.length > 0) tally.found++;
  }
  const leak = (what: string): string => `${kind.name} by ${asker.name} of ${asker.tenant}: ${what}`;
  const foreign = shown.filter((proof) => !maySee(asker, secrets.get(proof)!));
  const isTaken = kind.isChange === true && status >= 200 && status < 300;
  return [
    ...foreign.map((proof) => leak(`shows ${proof}`)),
    ...(isTaken ? [leak(`changes ${memory.layer} ${JSON.stringify(memory.scope)} of ${memory.tenant}`)] : []),
    // On a busy machine an answer may come too late, which is said with 503 or 504.
    ...(status >= 500 && status < 503 ? [leak(`answers ${status} ${text.slice(0, 200)}`)] : []),
  ];
}

/** Memories that a probe has changed. */
async function changedMemories({ askers, memories }: ProbeWorld): Promise<string[]> {
  const changed: string[] = [];
  for (const memory of memories) {
    const reader = askers.find((asker) => maySee(asker, memory))!;
    const { revision, state, content, feedback } = await reader.http.expect(
      200,
      'GET',
      `/v1/memories/${memory.id}`,
    );
    const isSame =
      revision === 0 && state === 'active' && content.includes(memory.proof) && feedback.outdated === 0;
    if (!isSame) changed.push(`${memory.layer} of ${memory.tenant} is ${state} at ${revision}`);
  }
  return changed;
}

/** Whether the use of a memory in one tenant shows in the value of its twin in another. */
async function valuesOfOthers({ askers }: ProbeWorld, report: Report): Promise<string[]> {
  const [mine, theirs] = ['north', 'south'].map((tenant) =>
    askers.find((one) => one.tenant === tenant && one.name === 'alice')!,
  ) as [Asker, Asker];
  const content = 'The garage closes at nine in the evening.';
  const twin = async ({ http }: Asker): Promise<string> =>
    (await http.expect(201, 'POST', '/v1/memories', { content, duplicates: 'keep' })).memory.id;
  const [own, used] = [await twin(mine), await twin(theirs)];
  const importance = async (http: HttpClient, id: string): Promise<number> =>
    (await http.expect(200, 'GET', `/v1/memories/${id}`)).importance;
  const before = await importance(mine.http, own);
  const least = await importance(theirs.http, used);
  for (let n = 0; n < uses; n++) {
    const query = `When does the garage close? (${n})`;
    const { searchId }: Json = await theirs.http.expect(200, 'POST', '/v1/search', {
      query,
      threshold: 0,
      topK: 50,
    });
    await theirs.http.send('POST', `/v1/searches/${searchId}/outcome`, { used: [used] });
  }
  let value = least;
  for (
    const end = performance.now() + patienceMs;
    performance.now() < end && value <= least;
    await sleep(200)
  )
    value = await importance(theirs.http, used);
  report.check(
    'control: use changes the value of a memory in its own tenant',
    value > least,
    `${least} to ${value}`,
  );
  const after = await importance(mine.http, own);
  return after === before
    ? []
    : [`use in ${theirs.tenant} changed a value in ${mine.tenant} from ${before} to ${after}`];
}

function showTallies(report: Report, tallies: ReadonlyMap<string, Tally>): void {
  report.table({
    title: 'probes by surface',
    header: ['surface', 'sent', 'own shown', 'controls found', 'statuses'],
    rows: [...tallies].map(([name, { sent, seen, controls, found, statuses }]) => [
      name,
      String(sent),
      String(seen),
      `${found} of ${controls}`,
      [...statuses]
        .sort(([left], [right]) => left - right)
        .map(([status, times]) => `${status}: ${times}`)
        .join(', '),
    ]),
  });
}
