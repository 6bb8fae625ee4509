import { Command } from 'commander';
import { environmentWith, portOption, profileOption, type ServeOptions } from './environment.ts';

export function serveCommand(): Command {
  return new Command('serve')
    .description('Run the server until it is told to stop')
    .addOption(profileOption())
    .option(
      '--role <roles>',
      'api, relay, projector, worker, comma separated; all without it (STRATALOG_ROLES)',
    )
    .option('--data <folder>', 'data folder (STRATALOG_DATA)')
    .option('--host <address>', 'address to listen on (STRATALOG_HOST)')
    .addOption(portOption())
    .action(async (options: ServeOptions) => serve(options));
}

async function serve(options: ServeOptions): Promise<void> {
  // Other commands do without the server.
  const [{ startApp }, { createLogger }, { readConfig }] = await Promise.all([
    import('../app.ts'),
    import('../logger.ts'),
    import('../config.ts'),
  ]);
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
