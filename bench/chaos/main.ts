// npm run chaos -- [--minutes N] [--profile embedded|servers] [--seed N] [--tenants N] [--report FILE]
import { randomInt } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { EmbeddedWorld } from './embedded.ts';
import { pageOf } from './page.ts';
import { reportOf } from './report.ts';
import { textOf } from './text.ts';
import { runChaos } from './run.ts';
import { ServersWorld } from './servers.ts';
import { verify } from './verify.ts';
import type { World } from './world.ts';

const worlds: Readonly<Record<string, () => Promise<World>>> = {
  embedded: () => EmbeddedWorld.start(),
  servers: () => ServersWorld.start(),
};

const usage = `usage: npm run chaos -- [--minutes N] [--profile embedded|servers] [--seed N] [--tenants N] [--report FILE]
  --minutes   how long the load runs, from 0.25 on (default 10); starting and checking come on top
  --profile   one embedded server (default), or the cluster profile with real servers
  --seed      repeats the schedule of faults and the choices of the load
  --tenants   tenants that store, change and search (default 4)
  --report    file for the report: .md for text, otherwise a page (default .cache/chaos/PROFILE-SEED.html)`;

/** Runs the chaos and prints the report. The exit status is 1 if anything was violated, and 2 for wrong options. */
export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '10' },
      profile: { type: 'string', default: 'embedded' },
      seed: { type: 'string', default: String(randomInt(2 ** 31)) },
      tenants: { type: 'string', default: '4' },
      report: { type: 'string' },
    },
  });
  const [minutes, seed, tenants] = [values.minutes, values.seed, values.tenants].map(Number) as [
    number,
    number,
    number,
  ];
  const start = worlds[values.profile];
  if (
    !(minutes >= 0.25) ||
    !Number.isSafeInteger(seed) ||
    !Number.isInteger(tenants) ||
    tenants < 1 ||
    !start
  ) {
    console.error(usage);
    process.exitCode = 2;
    return;
  }
  const command = `npm run chaos -- --minutes ${minutes} --profile ${values.profile} --seed ${seed} --tenants ${tenants}`;
  console.error(command);
  const world = await start();
  try {
    const run = await runChaos(world, { minutes, seed, tenants }, (text) => console.error(text));
    console.error('checking');
    const report = reportOf(command, world, run, await verify(world, run));
    const text = textOf(report);
    console.log(text);
    const file = path.resolve(values.report ?? `.cache/chaos/${values.profile}-${seed}.html`);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, file.endsWith('.md') ? text : pageOf(report));
    console.log(`report: ${file}`);
    if (report.violations > 0) process.exitCode = 1;
  } finally {
    await world.remove();
  }
}
