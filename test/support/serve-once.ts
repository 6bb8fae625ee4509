import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** Runs `serve`, or another command, that is expected to end by itself, and answers its exit code and all that it printed. */
export async function serveOnce(
  environment: Readonly<Record<string, string>>,
  {
    program = path.resolve('bin/stratalog.mjs'),
    prefix = [],
    command: name = 'serve',
  }: { readonly program?: string; readonly prefix?: readonly string[]; readonly command?: string } = {},
): Promise<{ code: number | null; output: string }> {
  const [command, ...words] = [...prefix, process.execPath, program, name];
  const child = spawn(command, words, {
    env: { PATH: process.env['PATH'], STRATALOG_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      // It should have been refused: it must not run on for ever.
      if (output.includes('"ready')) child.kill('SIGTERM');
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}
