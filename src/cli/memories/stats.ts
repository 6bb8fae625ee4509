import { Command } from 'commander';
import { connect } from '../client.ts';
import { printJson, table } from '../output.ts';
import { askedAsOf } from '../positions.ts';

export function statsCommand(): Command {
  return new Command('stats')
    .description('Show how many memories there are, how large they are, and how they are used')
    .option('--as-of <when>', 'show the figures of a position or an RFC 3339 time with an offset')
    .action(async ({ asOf }: { readonly asOf?: string }, command: Command) => {
      const { client, json } = connect(command);
      const stats = await client.stats(await askedAsOf(command, asOf));
      if (json) return printJson(stats);
      console.log(statsText(stats));
    });
}

interface Amount {
  readonly active: number;
  readonly archived: number;
  readonly deleted: number;
  readonly characters: number;
}

interface Stats {
  readonly tenant: string;
  readonly coverage: 'tenant' | 'visible';
  readonly total: Amount;
  readonly layers: readonly (Amount & { readonly layer: string })[];
  readonly spaces: readonly (Amount & { readonly space: string })[];
  readonly access: { readonly total: number; readonly memories: number; readonly lastAt?: string };
  readonly feedback: { readonly total: number };
}

/** The figures of a tenant as tables. */
export function statsText({ tenant, coverage, total, layers, spaces, access, feedback }: Stats): string {
  const of = coverage === 'tenant' ? `tenant ${tenant}` : `what you can see of tenant ${tenant}`;
  const last = access.lastAt === undefined ? '' : `, last ${access.lastAt}`;
  return [
    `Memories of ${of}`,
    '',
    table([
      ['layer', 'active', 'archived', 'deleted', 'characters'],
      ...layers.map((row) => [row.layer, ...cells(row)]),
      ['all', ...cells(total)],
    ]),
    ...(spaces.length > 0
      ? [
          '',
          table([
            ['space', 'active', 'archived', 'deleted', 'characters'],
            ...spaces.map((row) => [row.space, ...cells(row)]),
          ]),
        ]
      : []),
    '',
    `${number(access.total)} accesses to ${number(access.memories)} memories${last}; ${number(feedback.total)} ratings`,
  ].join('\n');
}

function cells({ active, archived, deleted, characters }: Amount): string[] {
  return [active, archived, deleted, characters].map(number);
}

const number = (value: number) => value.toLocaleString('en');
