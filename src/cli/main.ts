import { Command, CommanderError } from 'commander';
import { auditCommand } from './audit.ts';
import { ApiError } from './client.ts';
import { demoCommand } from './demo/command.ts';
import { doctorCommand } from './doctor.ts';
import { endSoon, endWithOutput } from './end.ts';
import { exportCommand, importCommand } from './transfer.ts';
import { keysCommand } from './keys.ts';
import { projectionsCommand } from './projections.ts';
import { searchCommand } from './search.ts';
import { serveCommand } from './serve.ts';
import { packageVersion } from './version.ts';

const exitFailed = 1;
const exitUsage = 2;
const helpHint = '(stratalog --help lists all commands)';

/** Runs the command line. Exit status: 0 success, 1 failure, 2 usage error. */
export async function main(argv: readonly string[]): Promise<void> {
  endWithOutput();
  const program = new Command('stratalog')
    .description(
      'The memory backend for AI agents in which every change, every access and every decision is an event.',
    )
    .version(packageVersion())
    .option('--url <url>', 'server to talk to (STRATALOG_URL)')
    .option('--key <key>', 'API key or JWT (STRATALOG_API_KEY)')
    .option('--on-behalf-of <user>', 'user that a key of role agent acts for (STRATALOG_ON_BEHALF_OF)')
    .option('--json', 'print JSON instead of text')
    .showHelpAfterError(helpHint)
    .exitOverride();
  const commands = [
    serveCommand(),
    demoCommand(),
    importCommand(),
    exportCommand(),
    searchCommand(),
    projectionsCommand(),
    auditCommand(),
    keysCommand(),
    doctorCommand(),
  ];
  for (const command of commands) program.addCommand(inheritOptions(command));
  refuseUnknown(program);
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : exitUsage;
      return;
    }
    // Loaded on demand: it imports the errors of all adapters.
    const { explain } = await import('./explain.ts');
    console.error(explain(error));
    process.exitCode = isMisuse(error) ? exitUsage : exitFailed;
    endSoon();
  }
}

/** The server validates the values of options. */
function isMisuse(error: unknown): boolean {
  return error instanceof ApiError && error.problem.code === 'validation-failed';
}

/** The connection options are also accepted after the command. */
function inheritOptions(command: Command): Command {
  command.exitOverride().showHelpAfterError(helpHint);
  if (command.commands.length > 0) {
    for (const sub of command.commands) inheritOptions(sub);
    refuseUnknown(command);
    return command;
  }
  return command
    .option('--url <url>', 'server to talk to (STRATALOG_URL)')
    .option('--key <key>', 'API key or JWT (STRATALOG_API_KEY)')
    .option('--on-behalf-of <user>', 'user that a key of role agent acts for (STRATALOG_ON_BEHALF_OF)')
    .option('--json', 'print JSON instead of text');
}

/** Without this, an unknown command with --help would print the help of its group and exit with status 0. */
function refuseUnknown(group: Command): void {
  group.addHelpText('before', ({ error }) => {
    const [name] = group.args;
    if (!error && name !== undefined && name !== 'help' && !name.startsWith('-'))
      group.error(`error: unknown command '${name}'`);
    return '';
  });
}
