import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

interface LockedPackage {
  readonly dev?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly version: string;
}

/** The environment of a user's shell: without settings of Stratalog, or of the npm that started the tests in the checkout. */
export function shellEnvironment(): Record<string, string> {
  const own = Object.entries(process.env).filter(([name]) => !/^(stratalog|npm)_/i.test(name));
  return Object.fromEntries(own) as Record<string, string>;
}

/** Runs npm as a user does. */
export async function npm(words: readonly string[], folder: string): Promise<void> {
  await run('npm', words, { cwd: folder, env: shellEnvironment() });
}

/** An empty folder whose name has spaces and letters beyond ASCII. */
export function awkwardFolder(): Promise<string> {
  return mkdtemp(path.join(tmpdir(), 'stratalog Größe & Übung '));
}

/** Packs a package of the checkout by this command of the guide, and returns the path of the file. */
export async function pack(from: string, words: readonly string[], folder: string): Promise<string> {
  const target = await mkdtemp(path.join(folder, 'packed '));
  await npm(['pack', ...words, '--pack-destination', target], path.resolve(from));
  const [name] = await readdir(target);
  return path.join(target, name!);
}

/** Paths of the files in a packed package. */
export async function filesIn(tarball: string): Promise<string[]> {
  const { stdout } = await run('tar', ['tzf', tarball], { maxBuffer: 10_000_000 });
  return stdout.split('\n').map((name) => name.replace(/^package\//, ''));
}

/**
 * Installs the packed server into a new folder, without a network: with the versions of the checkout's dependencies, which are in npm's
 * cache since they were installed.
 */
export async function installServer(tarball: string, folder: string): Promise<string> {
  const app = path.join(folder, 'leerer Ordner');
  await mkdir(app);
  const dependencies = { stratalog: `file:${tarball}` };
  const lock = JSON.parse(await readFile('package-lock.json', 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const { '': root, ...packages } = lock.packages;
  const { version, dependencies: needed, bin } = root!;
  const installed = Object.entries(packages).filter(([, { dev }]) => !dev);
  const server = { version, resolved: `file:${tarball}`, dependencies: needed, bin };
  const locked = {
    lockfileVersion: 3,
    packages: { '': { dependencies }, 'node_modules/stratalog': server, ...Object.fromEntries(installed) },
  };
  await writeFile(path.join(app, 'package.json'), JSON.stringify({ private: true, dependencies }));
  await writeFile(path.join(app, 'package-lock.json'), JSON.stringify(locked));
  await npm(['ci', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'], app);
  // As in the folder of a user, who has no such file.
  await rm(path.join(app, 'package-lock.json'));
  return app;
}
