import { Command } from 'commander';
import type { Logger } from 'pino';
import type { App } from '../app.ts';
import { environmentWith, portOption, profileOption, roleOption, type ServeOptions } from './environment.ts';

export function serveCommand(): Command {
  return new Command('serve')
    .description('Run the server until it is told to stop')
    .addOption(profileOption())
    .addOption(roleOption())
    .option('--data <folder>', 'data folder (STRATALOG_DATA)')
    .option('--host <address>', 'address to listen on (STRATALOG_HOST)')
    .addOption(portOption())
    .action(async (options: ServeOptions) => serve(options));
}

async function serve(options: ServeOptions): Promise<void> {
  // Other commands do without the server, and what it refuses is told before it is loaded.
  const { readConfig, unknownSettings } = await import('../config.ts');
  const config = readConfig(environmentWith(options));
  const [{ startApp }, { createLogger }] = await Promise.all([
    import('../app.ts'),
    import('../observability/logger.ts'),
  ]);
  const logger = createLogger(config);
  for (const variable of unknownSettings(process.env)) {
    logger.warn({ variable }, 'this variable is no setting; docs/reference/configuration.md lists them all');
  }
  const starting = startApp(config, logger);
  // Before it is ready: whoever sees it answer may tell it to stop.
  const isStopping = stopOnSignal(starting, logger);
  const app = await starting;
  if (isStopping()) return;
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
}

/** npm hands on a Ctrl-C that the terminal gave to the process too. */
const sameSignalMs = 1_000;
/** What is acknowledged is safe: a stop need not wait for ever for a server that hangs. */
const longestDrainMs = 60_000;

/**
 * On SIGTERM and SIGINT stops what was started, or is starting still, and ends the process. Another one later ends it at
 * once, as a kill would. Answers whether it stops.
 */
function stopOnSignal(starting: Promise<App>, logger: Logger): () => boolean {
  let stoppingSince: number | undefined;
  const stop = async (signal: string): Promise<void> => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince < sameSignalMs) return;
      logger.fatal({ signal }, 'told to stop again: ended before all was drained');
      process.exit(1);
    }
    stoppingSince = performance.now();
    logger.info({ signal }, 'draining');
    setTimeout(() => {
      logger.fatal('not drained within a minute: ended');
      process.exit(1);
    }, longestDrainMs).unref();
    const app = await starting.catch(() => undefined);
    // A start that failed ends the process by itself, and says why.
    if (!app) return;
    try {
      await app.stop();
    } catch (error) {
      logger.fatal({ err: error }, 'the stop failed');
      process.exit(1);
    }
    logger.info('stopped');
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => void stop(signal));
  return () => stoppingSince !== undefined;
}
