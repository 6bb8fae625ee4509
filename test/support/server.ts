import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { freshBackEnds, type FreshBackEnds } from './back-ends.ts';
import { fillDataFolder, type MakeFolder } from './data-template.ts';
import { program, shortLived } from './program.ts';

export const testMasterKey = 'test-master-key-0123456789';

/** Everything that a client needs to call a server. */
export interface ServerAddress {
  readonly url: string;
  readonly masterKey: string | undefined;
}

/** The complete program in a child process, as a user runs it. */
export interface TestServer extends ServerAddress {
  readonly dataDir: string;
  readonly process: ChildProcess;
  /** All lines logged so far. */
  readonly log: readonly string[];
  /** The environment of the process, to start another one with the same data. */
  readonly environment: Readonly<Record<string, string>>;
  /** Stops it cleanly or with the given signal, and waits until it has ended. The data are kept until `remove`. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  remove(): Promise<void>;
}

export interface TestServerOptions {
  /** A master key, which disables the development identity. By default one is set. */
  readonly masterKey?: string | null;
  readonly dataDir?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** A command that runs the program passed to it, such as one that mounts a small disk first. */
  readonly prefix?: readonly string[];
  /** Whether it answers the requests of many files, so that optimizing its code pays off. */
  readonly isLongLived?: boolean;
}

/** `embedded`, or `postgres` or `cluster` to run the same suite with the servers in the environment variables. */
export const testProfile = process.env['STRATALOG_TEST_PROFILE'] ?? 'embedded';

/** Starts a server on a free port with fresh data (or `dataDir`, or the database in `environment`) and waits until it is ready. */
export async function startServer(options: TestServerOptions = {}): Promise<TestServer> {
  const dataDir = options.dataDir ?? (await mkdtemp(path.join(tmpdir(), 'stratalog-')));
  const masterKey = options.masterKey === null ? undefined : (options.masterKey ?? testMasterKey);
  const backEnds = await backEndsOf(options.environment);
  const environment: Record<string, string> = {
    STRATALOG_PROFILE: testProfile,
    STRATALOG_DATA: dataDir,
    STRATALOG_PORT: '0',
    STRATALOG_LOG_LEVEL: 'info',
    // Several servers share two cores.
    STRATALOG_EMBEDDING_WORKERS: '1',
    ...(masterKey !== undefined && { STRATALOG_MASTER_KEY: masterKey }),
    ...backEnds?.environment,
    ...options.environment,
  };
  // With a prefix, the process may see another file system.
  if (options.dataDir === undefined && options.prefix === undefined)
    await fillDataFolder(dataDir, environment, makeFolder);
  const [command, ...words] = [
    ...(options.prefix ?? []),
    process.execPath,
    ...(options.isLongLived ? [] : shortLived),
    program,
    'serve',
    ...(options.args ?? []),
  ];
  const child = spawn(command!, words, {
    env: { ...withoutOwn(process.env), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log: string[] = [];
  const url = await readyUrl(child, log).catch(async (error: unknown) => {
    await backEnds?.remove();
    throw error;
  });
  const stop = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    }
    return child.exitCode;
  };
  return {
    url,
    dataDir,
    masterKey,
    process: child,
    log,
    environment,
    stop,
    async remove() {
      await stop('SIGKILL');
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
      await backEnds?.remove();
    },
  };
}

const makeFolder: MakeFolder = async (folder, settings) => {
  const server = await startServer({
    dataDir: folder,
    environment: { ...settings, STRATALOG_PROFILE: 'embedded' },
  });
  await server.stop();
};

/** Waits for the line with the server's URL. Rejects with the output if the process ends first. */
function readyUrl(child: ChildProcess, log: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const read = (line: string) => {
      log.push(line);
      const entry = parse(line);
      if (entry?.url && entry.msg?.startsWith('ready')) resolve(entry.url);
    };
    createInterface({ input: child.stdout! }).on('line', read);
    createInterface({ input: child.stderr! }).on('line', read);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}:\n${log.join('\n')}`)));
  });
}

function parse(line: string): { url?: string; msg?: string } | undefined {
  try {
    return JSON.parse(line) as { url?: string; msg?: string };
  } catch {
    return undefined;
  }
}

/** Removes the developer's own settings from the environment of the program under test. */
function withoutOwn(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('STRATALOG_')));
}

/** If the test servers share real servers, each one gets its own databases, topics and indexes. */
async function backEndsOf(given: Readonly<Record<string, string>> = {}): Promise<FreshBackEnds | undefined> {
  if (given['STRATALOG_POSTGRES_URL'] !== undefined || given['STRATALOG_PROFILE'] !== undefined)
    return undefined;
  return testProfile === 'postgres' || testProfile === 'cluster' ? freshBackEnds(testProfile) : undefined;
}
