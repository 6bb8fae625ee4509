import { Command } from 'commander';
import { portOption, profileOption } from './environment.ts';

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('Check what this machine, this configuration and its servers have, and say what is missing')
    .addOption(profileOption())
    .option('--data <folder>', 'data folder (STRATALOG_DATA)')
    .addOption(portOption())
    .action(async (options: Record<string, string>, own: Command) => {
      const { json = false } = own.optsWithGlobals<{ json?: boolean }>();
      // Other commands do without the adapters.
      const { doctor } = await import('./doctor-checks.ts');
      await doctor(options, json);
    });
}
