import { styleText } from 'node:util';
import type { Command } from 'commander';
import type { Context } from '../../packages/client/src/index.ts';
import { ArgumentAmongOptions } from './argument-among-options.ts';
import { connect } from './client.ts';
import { numberValue, searchedSpaces } from './option-values.ts';
import { printJson, printable, printableLines } from './output.ts';
import { askedAsOf, assertTime } from './positions.ts';

interface ContextOptions {
  readonly budget: number;
  readonly threshold?: number;
  readonly layer?: Context['layers'];
  readonly space?: string[];
  readonly session?: string;
  readonly profile?: boolean;
  readonly asOf?: string;
  readonly now?: string;
}

export function contextCommand(): Command {
  return new ArgumentAmongOptions('context')
    .description(
      'Print the most informative text about a question that fits into a token budget, with its sources',
    )
    .argument('<query>', 'the question')
    .option('--budget <tokens>', 'maximum number of tokens of the text (o200k_base)', numberValue, 1_000)
    .option('--threshold <score>', 'minimum score of a memory, 0 to 1; default: 0.7', numberValue)
    .option('--layer <layer...>', 'only these layers (repeatable)')
    .option('--space <space...>', 'only these spaces (repeatable); auto: those that surely fit')
    .option('--session <id>', 'session in which the question is asked')
    .option('--profile', 'begin with what is stably true of the user')
    .option(
      '--as-of <when>',
      'read the memories as they were at a position or an RFC 3339 time with an offset',
    )
    .option(
      '--now <time>',
      'time of the question, which words such as "last week" are relative to (RFC 3339 with an offset)',
    )
    .action(async (query: string, options: ContextOptions, command: Command) => {
      const { client, json } = connect(command);
      const past = await askedAsOf(command, options.asOf);
      if (options.now !== undefined) await assertTime(command, '--now <time>', options.now);
      const context = await client.context({
        query,
        tokenBudget: options.budget,
        threshold: options.threshold,
        layers: options.layer,
        spaces: searchedSpaces(options.space),
        sessionId: options.session,
        profile: options.profile,
        now: options.now,
        ...past,
      });
      if (json) return printJson(context);
      for (const { detail } of context.warnings) console.error(styleText('yellow', `Note: ${detail}`));
      if (context.text !== '') console.log(printableLines(context.text));
      // Printed on standard error, so that a pipe gets only the text.
      const left = context.leftOut.length === 0 ? '' : `, ${context.leftOut.length} left out`;
      const sources = context.items.map(({ citation }) => printable(citation));
      console.error(styleText('dim', [...sources, `${context.tokenCount} tokens${left}`].join('\n')));
    });
}
