import { parseArgs } from 'node:util';
import { startKurrentDouble } from './double.ts';

const usage =
  'usage: node bin/run.mjs test/doubles/kurrentdb/main.ts --data FILE [--port 2113] [--max-append-size BYTES]';

/** Runs the double until it is killed. It loses nothing then, so it needs no clean stop. */
export async function main(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      data: { type: 'string' },
      port: { type: 'string', default: '2113' },
      'max-append-size': { type: 'string' },
    },
  });
  if (values.data === undefined) throw new Error(usage);
  const limit = values['max-append-size'];
  const double = await startKurrentDouble({
    file: values.data,
    port: Number(values.port),
    ...(limit !== undefined && { maxAppendBytes: Number(limit) }),
  });
  process.stdout.write(`${double.connectionString}\n`);
}
