import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';

const run = promisify(execFile);
const folder = path.resolve('.cache', 'snippets');

/** The TypeScript blocks of a page. */
export async function snippetsOf(page: string): Promise<string[]> {
  const text = await readFile(page, 'utf8');
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code!);
}

/** What the comments behind `console.log` say that it prints; lines are separated by ` / `. */
export function promisedBy(code: string): string[] {
  return [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].flatMap(([, printed]) =>
    printed!.split(' / '),
  );
}

/** Checks the types of programs that import `@stratalog/client`, and returns the file of each. Throws what tsc says. */
export async function compiled(programs: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  await mkdir(folder, { recursive: true });
  const client = path.relative(folder, path.resolve('packages/client/src/index.ts'));
  const files: Record<string, string> = {};
  for (const [name, code] of Object.entries(programs)) {
    files[name] = path.join(folder, `${name}.ts`);
    await writeFile(files[name], code.replaceAll("'@stratalog/client'", `'${client}'`));
  }
  const settings = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--allowImportingTsExtensions'];
  const modules = ['--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
  await run('node_modules/.bin/tsc', [
    '--ignoreConfig',
    ...settings,
    ...modules,
    ...Object.values(files),
  ]).catch((error: { stdout: string }) => {
    throw new Error(error.stdout);
  });
  return files;
}

/** Runs a program and returns the lines that it prints. */
export async function printedBy(file: string, environment: Record<string, string>): Promise<string[]> {
  const outfile = file.replace(/\.ts$/, '.mjs');
  await build({ entryPoints: [file], outfile, bundle: true, platform: 'node', format: 'esm' });
  const { stdout } = await run(process.execPath, [outfile], {
    env: { PATH: process.env['PATH'], ...environment },
  });
  return stdout.split('\n').slice(0, -1);
}
