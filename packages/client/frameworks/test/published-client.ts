import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

export const root = path.resolve(import.meta.dirname, '../../../..');
const client = path.join(root, 'packages/client');
const installed = path.join(client, 'frameworks/node_modules');
const tsc = path.join(root, 'node_modules/.bin/tsc');
const run = promisify(execFile);

/** The client as `npm publish` would pack it. */
export interface PublishedClient {
  /** Paths of the files in the package. */
  readonly files: readonly string[];
  /** An empty folder in which the client was installed, and these frameworks. */
  install(frameworks?: readonly string[]): Promise<string>;
  remove(): Promise<void>;
}

export async function packClient(): Promise<PublishedClient> {
  const folder = await mkdtemp(path.join(tmpdir(), 'stratalog-client-'));
  await run(tsc, ['-p', path.join(client, 'tsconfig.build.json')]);
  await run(tsc, ['-p', path.join(client, 'frameworks/tsconfig.build.json')]);
  // What `prepack` does was done; its `npm ci` would install the frameworks again.
  const packing = ['pack', client, '--ignore-scripts', '--json', '--pack-destination', folder];
  const { stdout } = await run('npm', packing, { cwd: folder });
  const [packed] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  return {
    files: packed.files.map((file) => file.path),
    async install(frameworks = []) {
      const project = await mkdtemp(path.join(folder, 'project-'));
      await writeFile(path.join(project, 'package.json'), '{ "private": true, "type": "module" }');
      const tarball = path.join(folder, packed.filename);
      if (frameworks.length === 0) {
        await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: project });
        return project;
      }
      // What npm does with a package without dependencies, in no time.
      const target = path.join(project, 'node_modules/@stratalog/client');
      await mkdir(target, { recursive: true });
      await run('tar', ['-xzf', tarball, '--strip-components', '1', '-C', target]);
      for (const name of frameworks) {
        const target = path.join(project, 'node_modules', name);
        await mkdir(path.dirname(target), { recursive: true });
        await symlink(path.join(installed, name), target);
      }
      return project;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

export interface Ended {
  readonly status: number;
  readonly output: string;
  readonly errors: string;
}

/** Runs a program in a folder, with these lines as its standard input. */
export function runIn(
  folder: string,
  [program, ...args]: readonly [string, ...string[]],
  { environment = {}, input = '' }: { environment?: Record<string, string>; input?: string } = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { cwd: folder, env: { ...process.env, ...environment } };
    const child = execFile(program, args, options, (error, output, errors) =>
      resolve({ status: error ? Number(error.code ?? 1) : 0, output, errors }),
    );
    child.stdin!.end(input);
  });
}

/** Type-checks a program that a user of the client could write. */
export async function typeCheck(folder: string, program: string): Promise<Ended> {
  await writeFile(path.join(folder, 'program.ts'), program);
  const options = ['--strict', '--noEmit', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2022'];
  return runIn(folder, [tsc, ...options, '--types', '', 'program.ts']);
}
