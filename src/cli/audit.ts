import { styleText } from 'node:util';
import { Command } from 'commander';
import { connectionOf, linesOf, open } from './client.ts';
import { position } from './positions.ts';

interface AuditEvent {
  readonly at: string;
  readonly type: string;
  readonly actor: string;
  readonly stream: string;
  readonly revision: number;
  readonly reason?: string;
}

export function auditCommand(): Command {
  const command = new Command('audit').description('Read what happened');
  command
    .command('events')
    .description('The events of the tenant, in order')
    .option('--memory <id>', 'of one memory')
    .option('--stream <stream>', 'of one stream')
    .option('--actor <actor>', 'caused by one actor, such as user:alice')
    .option('--type <type...>', 'of these types (repeatable)')
    .option('--from <time>', 'from this time on')
    .option('--to <time>', 'before this time')
    .option('--after <position>', 'after this position', position)
    .option('--follow', 'go on as new events come, until interrupted')
    .action(async (options: Record<string, string | string[] | boolean>, own: Command) => {
      const connection = connectionOf(own);
      const parameters = new URLSearchParams();
      for (const name of ['memory', 'stream', 'actor', 'from', 'to', 'after', 'type']) {
        for (const value of [options[name] ?? []].flat()) parameters.append(name, String(value));
      }
      if (options['follow']) parameters.set('follow', 'true');
      const response = await open(connection, `/v1/audit/events?${parameters.toString()}`, {
        headers: { accept: 'application/x-ndjson' },
      });
      for await (const event of linesOf<AuditEvent>(response)) {
        if (connection.json) {
          console.log(JSON.stringify(event));
          continue;
        }
        const reason = event.reason === undefined ? '' : styleText('dim', `  “${event.reason}”`);
        console.log(
          `${event.at}  ${event.type.padEnd(18)} ${event.actor.padEnd(16)} ${styleText('dim', `${event.stream}@${event.revision}`)}${reason}`,
        );
      }
    });
  return command;
}
