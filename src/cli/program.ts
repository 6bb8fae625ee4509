import { Command } from 'commander';
import { auditCommand } from './audit.ts';
import { backupCommand } from './backup.ts';
import { budgetsCommand } from './budgets.ts';
import { contextCommand } from './context.ts';
import { demoCommand } from './demo/command.ts';
import { doctorCommand } from './doctor.ts';
import { eraseCommand, erasuresCommand } from './erase.ts';
import { exportCommand } from './export.ts';
import { importCommand } from './import.ts';
import { ingestCommand } from './ingest.ts';
import { keysCommand } from './keys.ts';
import { mcpCommand } from './mcp/command.ts';
import { archiveCommand, unarchiveCommand } from './memories/archive.ts';
import { deleteCommand } from './memories/delete.ts';
import { getCommand } from './memories/get.ts';
import { historyCommand } from './memories/history.ts';
import { listCommand } from './memories/list.ts';
import { statsCommand } from './memories/stats.ts';
import { storeCommand } from './memories/store.ts';
import { updateCommand } from './memories/update.ts';
import { validateCommand } from './memories/validate.ts';
import { policiesCommand } from './policies.ts';
import { projectionsCommand } from './projections.ts';
import { reportCommand } from './report/command.ts';
import { replayCommand, restoreCommand } from './restore.ts';
import { searchCommand } from './search.ts';
import { serveCommand } from './serve.ts';
import { documentsCommand } from './documents.ts';
import { duplicatesCommand } from './duplicates.ts';
import { reviewsCommand } from './reviews.ts';
import { sourcesCommand } from './sources.ts';
import { spacesCommand } from './spaces.ts';
import { summariesCommand } from './summaries.ts';
import { packageVersion } from '../adapters/package-version.ts';

const helpHint = '(stratalog --help lists all commands)';

/** All commands. Parsing throws a `CommanderError` instead of ending the process. */
export function createProgram(): Command {
  const program = withConnectionOptions(new Command('stratalog'))
    .description(
      'The memory backend for AI agents in which every change, every access and every decision is an event.',
    )
    .version(packageVersion())
    .showHelpAfterError(helpHint)
    // Each command parses all that follows it: `ArgumentAmongOptions` must see arguments and options together.
    .enablePositionalOptions()
    .exitOverride();
  const commands = [
    serveCommand(),
    demoCommand(),
    importCommand(),
    ingestCommand(),
    documentsCommand(),
    sourcesCommand(),
    exportCommand(),
    backupCommand(),
    restoreCommand(),
    replayCommand(),
    searchCommand(),
    contextCommand(),
    summariesCommand(),
    spacesCommand(),
    duplicatesCommand(),
    reviewsCommand(),
    budgetsCommand(),
    policiesCommand(),
    storeCommand(),
    getCommand(),
    listCommand(),
    historyCommand(),
    updateCommand(),
    deleteCommand(),
    archiveCommand(),
    unarchiveCommand(),
    eraseCommand(),
    erasuresCommand(),
    validateCommand(),
    statsCommand(),
    projectionsCommand(),
    auditCommand(),
    reportCommand(),
    keysCommand(),
    mcpCommand(),
    doctorCommand(),
  ];
  for (const command of commands) program.addCommand(inheritOptions(command));
  refuseUnknown(program);
  return program;
}

/** The connection options are also accepted after the command. */
function inheritOptions(command: Command): Command {
  withConnectionOptions(command).exitOverride().showHelpAfterError(helpHint).enablePositionalOptions();
  if (command.commands.length === 0) return command;
  for (const sub of command.commands) inheritOptions(sub);
  refuseUnknown(command);
  return command;
}

function withConnectionOptions(command: Command): Command {
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
