import { Command, Option } from 'commander';
import type { Budget } from '../../packages/client/src/index.ts';
import { connect } from './client.ts';
import { numberValue, settingAfter, wholeNumber } from './option-values.ts';
import { printJson } from './output.ts';

interface SetOptions {
  readonly period?: Budget['period'];
  readonly tokens?: number | false;
  readonly usd?: number | false;
}

export function budgetsCommand(): Command {
  const command = new Command('budgets').description(
    'Show or set what the tenant may spend on language models and remote embedding models',
  );
  command.command('show').description('Print the budget, and what was spent').action(show);
  command
    .command('set')
    .description('Change what the options name')
    .addOption(new Option('--period <period>', 'a day or a month of UTC').choices(['day', 'month']))
    .option('--tokens <number>', 'tokens in a period', wholeNumber)
    .option('--no-tokens', 'any number of tokens')
    .option('--usd <amount>', 'US dollars in a period', numberValue)
    .option('--no-usd', 'any amount')
    .action(set);
  return command;
}

async function show(_: unknown, command: Command): Promise<void> {
  const { client, json } = connect(command);
  print(await client.admin.budgets.get(), json);
}

async function set({ period, tokens, usd }: SetOptions, command: Command): Promise<void> {
  const { client, json } = connect(command);
  const before = await client.admin.budgets.get();
  const after = await client.admin.budgets.set({
    period: period ?? before.period,
    tokens: settingAfter(tokens, before.tokens),
    usd: settingAfter(usd, before.usd),
  });
  print(after, json);
}

function print(budget: Budget, json: boolean): void {
  if (json) return printJson(budget);
  const { period, tokens, usd, spent, reserved, resetsAt, exhausted } = budget;
  const limits = [
    ...(tokens === undefined ? [] : [`${tokens} tokens`]),
    ...(usd === undefined ? [] : [`$${usd}`]),
  ];
  console.log(`budget: ${limits.join(' and ') || 'no limit'} a ${period}${exhausted ? ', used up' : ''}`);
  console.log(`spent: ${spent.tokens} tokens, $${spent.usd}`);
  console.log(`reserved: ${reserved.tokens} tokens, $${reserved.usd}`);
  console.log(`resets at: ${resetsAt}`);
}
