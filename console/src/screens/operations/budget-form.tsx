import type { Budget } from '@stratalog/client';
import { useState } from 'preact/hooks';
import { useChange } from '../../app/use-ask.ts';
import { Field, Select } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { mistakeOf, typedNumber, valueOf } from './numbers.ts';

const textOf = (value: number | undefined): string => (value === undefined ? '' : String(value));

/** Replaces the budget; an empty limit is off. */
export function BudgetForm({ budget }: { readonly budget: Budget }) {
  const change = useChange('admin.budgets.set');
  const [period, setPeriod] = useState<Budget['period']>(budget.period);
  const [tokens, setTokens] = useState(textOf(budget.tokens));
  const [usd, setUsd] = useState(textOf(budget.usd));
  const typedTokens = typedNumber('Tokens', tokens, { least: 0, isWhole: true });
  const typedUsd = typedNumber('US dollars', usd, { least: 0 });
  const mistake = mistakeOf([typedTokens, typedUsd]);
  const save = () => change.run([{ period, tokens: valueOf(typedTokens), usd: valueOf(typedUsd) }]);
  return (
    <Form
      onSave={() => void save()}
      saveLabel="Set the budget"
      mistake={mistake}
      error={change.error}
      disabled={change.isRunning}
    >
      <div class="filters">
        <Select
          label="Period (UTC)"
          value={period}
          onValue={(value) => setPeriod(value === 'day' ? 'day' : 'month')}
          choices={[
            ['day', 'day'],
            ['month', 'month'],
          ]}
        />
        <Field label="US dollars, empty: no limit" value={usd} onValue={setUsd} pauseMs={100} />
        <Field label="Tokens, empty: no limit" value={tokens} onValue={setTokens} pauseMs={100} />
      </div>
      <p class="muted">
        What was spent in this period counts in the new budget. When nothing is left, language models are not
        called, and rules take their place.
      </p>
    </Form>
  );
}
