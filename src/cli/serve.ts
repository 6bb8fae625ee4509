import { Command } from 'commander';
import { createLogger, startApp } from '../app.ts';
import { readConfig } from '../config.ts';

interface ServeOptions {
  readonly profile?: string;
  readonly role?: string;
  readonly data?: string;
  readonly host?: string;
  readonly port?: string;
}

export function serveCommand(): Command {
  return new Command('serve')
    .description('Run the server until it is told to stop')
    .option('--profile <profile>', 'embedded, postgres or cluster (STRATALOG_PROFILE)')
    .option(
      '--role <roles>',
      'api, relay, projector, worker, comma separated; all without it (STRATALOG_ROLES)',
    )
    .option('--data <folder>', 'data folder (STRATALOG_DATA)')
    .option('--host <address>', 'address to listen on (STRATALOG_HOST)')
    .option('--port <port>', 'port to listen on (STRATALOG_PORT)')
    .action(async (options: ServeOptions) => serve(options));
}

/** Options win over the environment. */
export function environmentWith({ profile, role, data, host, port }: ServeOptions): NodeJS.ProcessEnv {
  const chosen = {
    STRATALOG_PROFILE: profile,
    STRATALOG_ROLES: role,
    STRATALOG_DATA: data,
    STRATALOG_HOST: host,
    STRATALOG_PORT: port,
  };
  const given = Object.entries(chosen).filter(([, value]) => value !== undefined);
  return { ...process.env, ...Object.fromEntries(given) };
}

async function serve(options: ServeOptions): Promise<void> {
  const config = readConfig(environmentWith(options));
  const logger = createLogger(config);
  const app = await startApp(config, logger);
  logger.info(
    {
      url: app.url,
      profile: config.profile,
      roles: config.roles,
      data: config.dataDir,
      identity: app.developmentIdentity ? 'development' : 'credentials',
    },
    app.developmentIdentity
      ? 'ready; no key was ever created, so everyone on this machine is the development identity (tenant local, role admin)'
      : 'ready',
  );
  let stopping = false;
  const stop = (signal: string) => {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'draining');
    app.stop().then(
      () => {
        logger.info('stopped');
        process.exit(0);
      },
      (error: unknown) => {
        logger.fatal({ err: error }, 'the stop failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
}
