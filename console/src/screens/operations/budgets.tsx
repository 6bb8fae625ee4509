import type { Budget } from '@stratalog/client';
import { useSession } from '../../app/session.tsx';
import { useAsk } from '../../app/use-ask.ts';
import { Answer } from '../../ui/answer.tsx';
import { Panel } from '../../ui/page.tsx';
import { usdText } from '../../ui/quantity.ts';
import { Figure } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { BudgetForm } from './budget-form.tsx';
import { Costs } from './costs.tsx';

const refreshMs = 10_000;
/** Share of a budget from which on it is near its end. */
const nearlySpent = 0.8;

/** What the tenant may spend on models, what it has spent, and on what. */
export function Budgets() {
  const { may } = useSession();
  const budget = useAsk('admin.budgets.get', [{}], { everyMs: refreshMs });
  const stats = useAsk('stats', [{}], { everyMs: refreshMs, enabled: may('stats') });
  return (
    <div class="stack">
      <Answer of={budget} what="the budget">
        {(answer) => (
          <div class="stack">
            <Spent budget={answer} />
            {may('configureBudget') && (
              <details class="panel">
                <summary>Change the budget</summary>
                <BudgetForm
                  key={JSON.stringify([answer.period, answer.tokens, answer.usd])}
                  budget={answer}
                />
              </details>
            )}
          </div>
        )}
      </Answer>
      {may('stats') && (
        <Answer of={stats} what="the costs">
          {({ costs }) => (costs ? <Costs costs={costs} /> : null)}
        </Answer>
      )}
    </div>
  );
}

function Spent({ budget }: { readonly budget: Budget }) {
  const { period, spent, reserved, resetsAt, exhausted, tokens, usd } = budget;
  const tone = (used: number, limit: number | undefined): 'warn' | 'danger' | undefined => {
    if (limit === undefined) return undefined;
    if (used >= limit) return 'danger';
    return used >= nearlySpent * limit ? 'warn' : undefined;
  };
  const figures = [
    ['US dollars', spent.usd, usd, reserved.usd, usdText],
    ['Tokens', spent.tokens, tokens, reserved.tokens, (count: number) => count.toLocaleString()],
  ] as const;
  return (
    <Panel
      title={`Spent this ${period}`}
      note={
        <>
          until <Time at={resetsAt} exact />
        </>
      }
    >
      {exhausted && (
        <p class="problem" role="status">
          The budget is used up. Rules take the place of language models, and endpoints embed no more texts,
          until the next {period} or a larger budget.
        </p>
      )}
      <div class="figures">
        {figures.map(([name, used, limit, waiting, text]) => {
          const marked = tone(used, limit);
          return (
            <Figure
              key={name}
              name={name}
              value={text(used)}
              note={
                <>
                  {limit === undefined ? 'no limit' : `of ${text(limit)}`}
                  {waiting > 0 && `, and up to ${text(waiting)} for calls under way`}
                </>
              }
              {...(marked && { tone: marked })}
            />
          );
        })}
      </div>
    </Panel>
  );
}
