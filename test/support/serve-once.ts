import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { program as own, shortLived } from './program.ts';

/** Runs `serve`, or another command, that should end by itself. Returns its exit code and output. */
export async function serveOnce(
  environment: Readonly<Record<string, string>>,
  {
    program = own,
    prefix = [],
    command: name = 'serve',
  }: { readonly program?: string; readonly prefix?: readonly string[]; readonly command?: string } = {},
): Promise<{ code: number | null; output: string }> {
  const [command, ...words] = [...prefix, process.execPath, ...shortLived, program, name];
  const child = spawn(command, words, {
    env: { PATH: process.env['PATH'], STRATALOG_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      // The start should have failed. Stop the server, so that it does not run forever.
      if (output.includes('"ready')) child.kill('SIGTERM');
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}
