import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { renameSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startApp, type App } from '../../app.ts';
import { readConfig, type Config } from '../../config.ts';
import { createLogger } from '../../observability/logger.ts';
import { cleanOnSignal } from '../clean-on-signal.ts';
import { clientOf, type Connection } from '../client.ts';
import { environmentWith } from '../environment.ts';
import type { Narrator } from './narrator.ts';
import { runDemo } from './run.ts';

export interface DemoOptions {
  readonly profile?: string;
  readonly data?: string;
  readonly port?: string;
  readonly serve?: boolean;
}

/** Starts a server, runs the demo on it, and stops it; with `serve`, only after a signal. */
export async function demo(options: DemoOptions, narrator: Narrator): Promise<void> {
  const started = performance.now();
  const { environment, temporaryData } = await demoEnvironment(options);
  const remove = (): void => {
    if (temporaryData === undefined) return;
    // Rename it first, so that a database that is still running cannot create more files in it.
    const away = `${temporaryData}-removed`;
    renameSync(temporaryData, away);
    rmSync(away, { recursive: true, force: true });
  };
  const leaveSignals = cleanOnSignal(remove);
  try {
    const config = readConfig(environment);
    narrator.begin();
    const app = await startApp(config, createLogger(config));
    try {
      const connection: Connection = { url: app.url, key: await demoKey(app, config), json: false };
      const facts = await runDemo(clientOf(connection), narrator);
      const seconds = (performance.now() - started) / 1_000;
      narrator.end(seconds, config.profile, facts);
      const { asOfShowsBefore, deletedIsGone, rebuilt, equal } = facts;
      if (!asOfShowsBefore || !deletedIsGone || equal < rebuilt) process.exitCode = 1;
      if (options.serve) {
        leaveSignals();
        narrator.kept(connection, config.console);
        await Promise.race((['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) => once(process, signal)));
      } else narrator.offersConsole();
    } finally {
      await app.stop();
    }
  } finally {
    remove();
    leaveSignals();
  }
}

/** The caller's environment with the settings of the demo, and the temporary data folder if there is one. */
async function demoEnvironment({
  profile,
  data,
  port,
  serve,
}: DemoOptions): Promise<{ environment: NodeJS.ProcessEnv; temporaryData?: string }> {
  const given = environmentWith({
    ...(profile !== undefined && { profile }),
    ...(data !== undefined && { data }),
    port: port ?? (serve ? '8080' : '0'),
  });
  // Nobody waits a minute for a signed head here.
  const environment = { STRATALOG_LOG_LEVEL: 'warn', STRATALOG_CHECKPOINT_INTERVAL: '2', ...given };
  if (readConfig(environment).profile !== 'embedded') {
    // The servers keep the data of the demo, so the vault's key must stay in the data folder too.
    return { environment: { STRATALOG_MASTER_KEY: randomBytes(24).toString('base64url'), ...environment } };
  }
  if (data !== undefined) return { environment };
  const temporaryData = await mkdtemp(path.join(tmpdir(), 'stratalog-demo-'));
  return { environment: { ...environment, STRATALOG_DATA: temporaryData }, temporaryData };
}

/** Without the development identity, creates a tenant for the demo with the master key. */
async function demoKey(
  { url, developmentIdentity }: App,
  { masterKey }: Config,
): Promise<string | undefined> {
  if (developmentIdentity || masterKey === undefined) return undefined;
  const tenant = `demo_${Date.now().toString(36)}`;
  const master = clientOf({ url, key: masterKey, json: false });
  const { key } = await master.admin.keys.create({ tenant, role: 'admin', user: 'demo', name: 'demo' });
  return key;
}
