import { Command, Option } from 'commander';
import { portOption, profileOption } from '../environment.ts';
import { Narrator } from './narrator.ts';
import type { DemoOptions } from './start.ts';

export function demoCommand(): Command {
  return (
    new Command('demo')
      .description('Show what Stratalog does with a real corpus, in about 55 s on two quiet cores')
      .addOption(profileOption())
      .option(
        '--data <folder>',
        'data folder; default: a temporary folder, or STRATALOG_DATA if the profile uses servers',
      )
      .addOption(portOption('port to listen on; default: a free port, or 8080 with --serve'))
      .option('--serve', 'keep the server running at the end, to look at it in the console')
      // The former name of --serve.
      .addOption(new Option('--keep').hideHelp().implies({ serve: true }))
      .action(async (options: DemoOptions, command: Command) => {
        const { json = false } = command.optsWithGlobals<{ json?: boolean }>();
        // Loaded on demand: other commands do not need the server.
        const { demo } = await import('./start.ts');
        await demo(options, new Narrator(!json));
      })
  );
}
