import { Command } from 'commander';
import { portOption, profileOption } from './environment.ts';

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('Check this machine, the configuration and its servers, and report what is missing')
    .addOption(profileOption())
    .option('--data <folder>', 'data folder (STRATALOG_DATA)')
    .addOption(portOption())
    .action(async (options: Record<string, string>, command: Command) => {
      const { json = false } = command.optsWithGlobals<{ json?: boolean }>();
      // Loaded on demand: other commands do not need the adapters.
      const { doctor } = await import('./doctor-checks.ts');
      await doctor(options, json);
    });
}
