import { Command } from 'commander';
import type { Logger } from 'pino';
import type { App } from '../app.ts';
import { packageVersion } from '../adapters/package-version.ts';
import { environmentWith, portOption, profileOption, roleOption, type ServeOptions } from './environment.ts';

export function serveCommand(): Command {
  return new Command('serve')
    .description('Run the server')
    .addOption(profileOption())
    .addOption(roleOption())
    .option('--data <folder>', 'data folder (STRATALOG_DATA)')
    .option('--host <address>', 'address to listen on (STRATALOG_HOST)')
    .addOption(portOption())
    .action(async (options: ServeOptions, command: Command) => {
      const { json = false } = command.optsWithGlobals<{ json?: boolean }>();
      await serve(options, { isForPerson: process.stdout.isTTY && !json });
    });
}

/** On a terminal the server prints a few lines for a person; in a pipe, or with `--json`, its log as JSON. */
async function serve(options: ServeOptions, { isForPerson }: { isForPerson: boolean }): Promise<void> {
  // Loaded on demand: other commands do not need the server, and an invalid configuration is reported before it loads.
  const { readConfig, unknownSettings } = await import('../config.ts');
  const config = readConfig(environmentWith(options));
  const [{ startApp }, { createLogger }, { startText, terminalLog }] = await Promise.all([
    import('../app.ts'),
    import('../observability/logger.ts'),
    import('./terminal.ts'),
  ]);
  const logger = createLogger(config, ...(isForPerson ? [terminalLog] : []));
  for (const variable of unknownSettings(process.env)) {
    logger.warn({ variable }, 'unknown setting; docs/reference/configuration.md lists all settings');
  }
  const starting = startApp(config, logger);
  // Installed before the server is ready, because a signal may come as soon as it answers.
  const isStopping = stopOnSignal(starting, logger);
  const app = await starting;
  if (isStopping()) return;
  const started = {
    url: app.url,
    profile: config.profile,
    roles: config.roles,
    data: config.dataDir,
    identity: app.developmentIdentity ? 'development' : 'credentials',
  } as const;
  if (isForPerson) return console.log(startText({ version: packageVersion(), ...started }));
  logger.info(
    started,
    app.developmentIdentity
      ? 'ready; no key was ever created, so everyone on this machine is the development identity (tenant local, role admin)'
      : 'ready',
  );
}

/** npm forwards a Ctrl-C that the terminal also sent to this process: a second signal within this time is the same one. */
const sameSignalMs = 1_000;
/** Acknowledged data is safe, so a stop does not wait forever for a server that hangs. */
const maxDrainMs = 60_000;

/**
 * On SIGTERM or SIGINT, stops the app, even while it is starting, and ends the process. A later signal ends the process at
 * once. Returns a function that says whether the app is stopping.
 */
function stopOnSignal(starting: Promise<App>, logger: Logger): () => boolean {
  let stoppingSince: number | undefined;
  const stop = async (signal: string): Promise<void> => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince < sameSignalMs) return;
      logger.fatal({ signal }, 'second signal: ended before draining finished');
      process.exit(1);
    }
    stoppingSince = performance.now();
    logger.info({ signal }, 'draining');
    setTimeout(() => {
      logger.fatal('draining took longer than a minute: ended');
      process.exit(1);
    }, maxDrainMs).unref();
    const app = await starting.catch(() => undefined);
    // A failed start reports its error and ends the process by itself.
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
