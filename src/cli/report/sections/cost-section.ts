import type { Budget } from '../../../../packages/client/src/index.ts';
import { cards, facts, heading, note, part, section, table } from '../blocks.ts';
import type { Html, HtmlValue } from '../html.ts';
import { isUnreadable } from '../part.ts';
import type { ReportData } from '../report-data.ts';
import { number, usd, utc } from '../texts.ts';

/** What models have cost, and what is left. */
export function costSection({ range: { spending }, providers, budget, spaceBudgets }: ReportData): Html {
  const sum = (field: 'requests' | 'inputTokens' | 'outputTokens' | 'usd') =>
    spending.reduce((all, row) => all + row[field], 0);
  const names = isUnreadable(providers) ? {} : providers.items;
  return section(
    'cost',
    'Cost',
    'What did language models and remote embedding models cost, and what is left?',
    heading('Spent', 'range'),
    cards([
      ['spent', usd(sum('usd'))],
      ['requests', sum('requests')],
      ['tokens read', sum('inputTokens')],
      ['tokens written', sum('outputTokens')],
    ]),
    part('the providers of models', providers, () => undefined),
    table(
      [
        { name: 'Provider', cell: ({ model }) => names[model] ?? 'not configured now' },
        { name: 'Model', cell: ({ model }) => model },
        { name: 'Purpose', cell: ({ purpose }) => purpose },
        { name: 'Requests', isNumber: true, cell: ({ requests }) => number(requests) },
        { name: 'Tokens read', isNumber: true, cell: ({ inputTokens }) => number(inputTokens) },
        { name: 'Tokens written', isNumber: true, cell: ({ outputTokens }) => number(outputTokens) },
        {
          name: 'US dollars',
          isNumber: true,
          cell: (row) => (row.charged ? `${usd(row.usd)}${row.priced ? '' : ' *'}` : 'not charged'),
        },
      ],
      spending,
      'Nothing was spent: no model that costs anything was called.',
    ),
    spending.some(({ charged, priced }) => charged && !priced) &&
      note('* The price of the model was not known for some calls, which count as $0.'),
    spending.some(({ charged }) => !charged) &&
      note(
        'Calls that plan and refine questions are not charged: they count in no budget, and their price is not known here.',
      ),
    heading('Budget of the tenant', 'written'),
    part('the budget', budget, budgetText),
    part('the budgets of spaces', spaceBudgets, ({ items }) => [
      heading('Budgets of spaces', 'written'),
      table(
        [
          { name: 'Space', cell: ({ space }) => space },
          { name: 'Period', cell: ({ period }) => `a ${period}` },
          { name: 'Budget', isNumber: true, cell: (row) => usd(row.usd) },
          { name: 'Spent', isNumber: true, cell: ({ spent }) => usd(spent) },
          { name: 'Left', isNumber: true, cell: (row) => usd(Math.max(0, row.usd - row.spent)) },
        ],
        items,
        'No space has a budget.',
      ),
    ]),
  );
}

function budgetText({
  period,
  tokens,
  usd: dollars,
  spent,
  reserved,
  resetsAt,
  exhausted,
}: Budget): HtmlValue {
  const used = { tokens: spent.tokens + reserved.tokens, usd: spent.usd + reserved.usd };
  return facts([
    ['Period', `a ${period}, until ${utc(resetsAt)}`],
    ['Tokens', limitText(tokens, used.tokens, number)],
    ['US dollars', limitText(dollars, used.usd, usd)],
    ['Used up', exhausted && 'yes: calls are refused until the next period'],
  ]);
}

const limitText = (limit: number | undefined, used: number, textOf: (value: number) => string): string =>
  limit === undefined
    ? `no limit; ${textOf(used)} spent`
    : `${textOf(limit)}; ${textOf(used)} spent, ${textOf(Math.max(0, limit - used))} left`;
