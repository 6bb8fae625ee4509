import type { Stats } from '@stratalog/client';
import { Badge } from '../../ui/badge.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Panel } from '../../ui/page.tsx';
import { usdText } from '../../ui/quantity.ts';
import { Table } from '../../ui/table.tsx';

/** What models have cost this month, by purpose. */
export function Costs({ costs: { month, models } }: { readonly costs: NonNullable<Stats['costs']> }) {
  const rows = models.toSorted((a, b) => b.usd - a.usd || b.inputTokens - a.inputTokens);
  return (
    <Panel title="Costs by model and purpose" note={`${month}, UTC`}>
      {rows.length === 0 ? (
        <Empty title="No model has cost anything this month">Models of this server are free of charge.</Empty>
      ) : (
        <Table
          label="Costs by model and purpose"
          rows={rows}
          keyOf={({ purpose, model }) => `${purpose} ${model}`}
          columns={[
            { name: 'Purpose', cell: ({ purpose }) => purpose },
            { name: 'Model', cell: ({ model }) => <code>{model}</code> },
            { name: 'Calls', isNumber: true, cell: ({ requests }) => requests.toLocaleString() },
            { name: 'Tokens read', isNumber: true, cell: ({ inputTokens }) => inputTokens.toLocaleString() },
            {
              name: 'Tokens written',
              isNumber: true,
              cell: ({ outputTokens }) => outputTokens.toLocaleString(),
            },
            {
              name: 'Cost',
              isNumber: true,
              cell: ({ usd, priced }) => (priced ? usdText(usd) : <Badge tone="warn">price not known</Badge>),
            },
          ]}
        />
      )}
    </Panel>
  );
}
