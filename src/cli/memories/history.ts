import { styleText } from 'node:util';
import { Command } from 'commander';
import { connect } from '../client.ts';
import { printJson, preview, printable } from '../output.ts';

export function historyCommand(): Command {
  return new Command('history')
    .description('Show every version of a memory: who changed what, when and why')
    .argument('<id>')
    .action(async (id: string, _, command: Command) => {
      const { client, json } = connect(command);
      const versions = await client.memories.history(id).toArray();
      if (json) return printJson(versions);
      for (const version of versions) console.log(versionText(version));
    });
}

interface Version {
  readonly revision: number;
  readonly type: string;
  readonly at: string;
  readonly actor: string;
  readonly cause: string;
  readonly reason?: string;
  readonly changes: Readonly<Record<string, { readonly from?: unknown; readonly to?: unknown }>>;
}

const maxValueLength = 60;

/** A version: who, when and why, then each change in a line. */
export function versionText({ revision, type, at, actor, cause, reason, changes }: Version): string {
  const why = reason === undefined ? '' : styleText('dim', `  “${printable(reason)}”`);
  const head = `${styleText('bold', String(revision).padStart(4))}  ${at}  ${type}  ${printable(actor)} (${cause})${why}`;
  const lines = Object.entries(changes).map(([field, { from, to }]) => {
    const values = from === undefined ? valueText(to) : `${valueText(from)} → ${valueText(to)}`;
    return `      ${printable(field)}: ${values}`;
  });
  return [head, ...lines].join('\n');
}

function valueText(value: unknown): string {
  return value === undefined ? 'none' : preview(JSON.stringify(value), maxValueLength);
}
