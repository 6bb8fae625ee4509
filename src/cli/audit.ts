import { styleText } from 'node:util';
import { Command, Option } from 'commander';
import type { AuditEvent, AuditFilter } from '../../packages/client/src/index.ts';
import { addLogCommands } from './audit-log.ts';
import { addReplayCommand } from './audit-replay.ts';
import { addWhatIfCommand } from './audit-what-if.ts';
import { connect } from './client.ts';
import { printable } from './output.ts';
import { position } from './positions.ts';
import { scopeOf, withScopeOptions, type ScopeOptions } from './scope-options.ts';

interface EventFlags extends AuditFilter, ScopeOptions {
  readonly follow?: boolean;
  readonly csv?: boolean;
}

export function auditCommand(): Command {
  const command = new Command('audit').description(
    'Read the audit log, run searches again, and prove that nobody changed the log',
  );
  withScopeOptions(
    command.command('events').description('List the events of the tenant in the order of the log'),
    'the event or its memories',
  )
    .option('--memory <id>', 'only events of this memory')
    .option('--stream <stream>', 'only events of this stream')
    .option('--actor <actor>', 'only events caused by this actor, such as user:alice')
    .option('--type <type...>', 'only events of these types (repeatable)')
    .option('--layer <layer...>', 'only events of these layers and their memories (repeatable)')
    .option('--space <space...>', 'only events of these spaces and their memories (repeatable)')
    .option('--outcome <outcome...>', 'only events with these outcomes, such as failure or used (repeatable)')
    .option('--from <time>', 'only events at or after this time')
    .option('--to <time>', 'only events before this time')
    .option('--after <position>', 'only events after this position', position)
    .addOption(
      new Option('--csv', 'print a table with one line for each event, for spreadsheets').conflicts('follow'),
    )
    .option('--follow', 'print new events as they arrive, until interrupted')
    .action(async ({ follow, csv, ...options }: EventFlags, command: Command) => {
      const { client, json } = connect(command);
      const { memory, stream, actor, from, to, after, type, layer, space, outcome } = options;
      const scope = Object.entries(scopeOf(options) ?? {}).map(([key, value]) => [`scope.${key}`, value]);
      const filter: AuditFilter = {
        memory,
        stream,
        actor,
        from,
        to,
        after,
        type,
        layer,
        space,
        outcome,
        ...Object.fromEntries(scope),
      };
      if (csv) {
        for await (const text of client.audit.csv(filter)) process.stdout.write(text);
        return;
      }
      const events = follow ? client.audit.follow(filter) : client.audit.stream(filter);
      for await (const event of events) console.log(json ? JSON.stringify(event) : lineOf(event));
    });
  addReplayCommand(command);
  addWhatIfCommand(command);
  addLogCommands(command);
  return command;
}

function lineOf({ at, type, actor, onBehalfOf, stream, revision, reason }: AuditEvent): string {
  const who = onBehalfOf === undefined ? actor : `${actor} for ${onBehalfOf}`;
  const why = reason === undefined ? '' : styleText('dim', `  “${printable(reason)}”`);
  const where = styleText('dim', printable(`${stream}@${revision}`));
  return `${at}  ${type.padEnd(18)} ${printable(who).padEnd(16)} ${where}${why}`;
}
