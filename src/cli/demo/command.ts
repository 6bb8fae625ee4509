import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Command } from 'commander';
import { createLogger, startApp, type App } from '../../app.ts';
import { readConfig } from '../../config.ts';
import { call, type Connection } from '../client.ts';
import { environmentWith } from '../serve.ts';
import { Narrator } from './narrator.ts';
import { runDemo } from './run.ts';

interface DemoOptions {
  readonly profile?: string;
  readonly data?: string;
  readonly port?: string;
  readonly keep?: boolean;
}

export function demoCommand(): Command {
  return new Command('demo')
    .description('Show the main job on a real corpus, in under a minute')
    .option('--profile <profile>', 'embedded, postgres or cluster (STRATALOG_PROFILE)')
    .option('--data <folder>', 'data folder; default: a new one that is removed at the end')
    .option('--port <port>', 'port to listen on; default: a free one, with --keep 8080')
    .option('--keep', 'leave the server up at the end')
    .action(async (options: DemoOptions, own: Command) => {
      const { json = false } = own.optsWithGlobals<{ json?: boolean }>();
      await demo(options, new Narrator(!json));
    });
}

async function demo(options: DemoOptions, narrator: Narrator): Promise<void> {
  const started = performance.now();
  const data = options.data ?? (await mkdtemp(path.join(tmpdir(), 'stratalog-demo-')));
  const port = options.port ?? (options.keep ? '8080' : '0');
  const environment = environmentWith({
    ...(options.profile !== undefined && { profile: options.profile }),
    data,
    port,
  });
  const config = readConfig({ STRATALOG_LOG_LEVEL: 'warn', ...environment });
  const app = await startApp(config, createLogger(config));
  const connection: Connection = { url: app.url!, key: await demoKey(app), json: false };
  const facts = await runDemo(connection, narrator);
  const seconds = (performance.now() - started) / 1_000;
  narrator.end(seconds, config.profile, facts);
  if (options.keep) {
    narrator.kept(connection);
    process.once('SIGINT', () => void app.stop().then(() => process.exit(0)));
    process.once('SIGTERM', () => void app.stop().then(() => process.exit(0)));
    return;
  }
  await app.stop();
  if (options.data === undefined) await rm(data, { recursive: true, force: true });
}

/** Where there is no development identity, the demo is a tenant of its own, made with the master key. */
async function demoKey({ url, developmentIdentity, services }: App): Promise<string | undefined> {
  if (developmentIdentity) return undefined;
  const { masterKey } = services.config;
  if (masterKey === undefined) {
    throw new Error(
      'this profile has no development identity: set STRATALOG_MASTER_KEY, and the demo makes a tenant of its own',
    );
  }
  const tenant = `demo_${Date.now().toString(36)}`;
  const master: Connection = { url: url!, key: masterKey, json: false };
  const { key } = await call<{ key: string }>(master, '/v1/admin/keys', {
    method: 'POST',
    body: { tenant, role: 'admin', user: 'demo', name: 'demo' },
  });
  return key;
}
