import { Command } from 'commander';

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('Check what this machine, this configuration and its servers have, and say what is missing')
    .option('--profile <profile>', 'embedded, postgres or cluster (STRATALOG_PROFILE)')
    .option('--data <folder>', 'data folder (STRATALOG_DATA)')
    .option('--port <port>', 'port to listen on (STRATALOG_PORT)')
    .action(async (options: Record<string, string>, own: Command) => {
      const { json = false } = own.optsWithGlobals<{ json?: boolean }>();
      // Other commands do without the adapters.
      const { doctor } = await import('./doctor-checks.ts');
      await doctor(options, json);
    });
}
