import { setTimeout as sleep } from 'node:timers/promises';
import { styleText } from 'node:util';
import { Command } from 'commander';
import { ConnectionLost, connectionOf, linesOf, open, type Connection } from './client.ts';
import { printable } from './output.ts';
import { position } from './positions.ts';

const reconnectMs = 500;

interface AuditEvent {
  readonly at: string;
  readonly type: string;
  readonly actor: string;
  readonly onBehalfOf?: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: string;
  readonly reason?: string;
}

export function auditCommand(): Command {
  const command = new Command('audit').description('Read the audit log');
  command
    .command('events')
    .description('The events of the tenant, in order')
    .option('--memory <id>', 'only those of this memory')
    .option('--stream <stream>', 'only those of this stream')
    .option('--actor <actor>', 'only those caused by this actor, such as user:alice')
    .option('--type <type...>', 'only these types (repeatable)')
    .option('--from <time>', 'at or after this time')
    .option('--to <time>', 'before this time')
    .option('--after <position>', 'after this position', position)
    .option('--follow', 'print new events as they arrive, until interrupted')
    .action(async (options: Record<string, string | string[] | boolean>, own: Command) => {
      const connection = connectionOf(own);
      const parameters = new URLSearchParams();
      for (const name of ['memory', 'stream', 'actor', 'from', 'to', 'after', 'type']) {
        for (const value of [options[name] ?? []].flat()) parameters.append(name, String(value));
      }
      if (options['follow']) parameters.set('follow', 'true');
      for await (const event of eventsOf(connection, parameters))
        console.log(connection.json ? JSON.stringify(event) : lineOf(event));
    });
  return command;
}

/** The events from the server. With `follow`, reconnects: proxies close a stream that is idle for minutes. */
async function* eventsOf(connection: Connection, parameters: URLSearchParams): AsyncGenerator<AuditEvent> {
  for (;;) {
    const response = await open(connection, `/v1/audit/events?${parameters.toString()}`, {
      headers: { accept: 'application/x-ndjson' },
    });
    try {
      for await (const event of linesOf<AuditEvent>(response)) {
        yield event;
        parameters.set('after', event.position);
      }
      return;
    } catch (error) {
      if (!(error instanceof ConnectionLost) || !parameters.has('follow')) throw error;
    }
    await sleep(reconnectMs);
  }
}

function lineOf({ at, type, actor, onBehalfOf, stream, revision, reason }: AuditEvent): string {
  const who = onBehalfOf === undefined ? actor : `${actor} for ${onBehalfOf}`;
  const why = reason === undefined ? '' : styleText('dim', `  “${printable(reason)}”`);
  const where = styleText('dim', printable(`${stream}@${revision}`));
  return `${at}  ${type.padEnd(18)} ${printable(who).padEnd(16)} ${where}${why}`;
}
