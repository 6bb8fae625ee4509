import type { Facts as FactsAnswer } from '@stratalog/client';
import { useState } from 'preact/hooks';
import { Link } from '../../app/address.tsx';
import { useSession } from '../../app/session.tsx';
import { useAsk } from '../../app/use-ask.ts';
import { Answer } from '../../ui/answer.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Select } from '../../ui/field.tsx';
import { LongText } from '../../ui/long-text.tsx';
import { Panel } from '../../ui/page.tsx';
import { Figure, Table } from '../../ui/table.tsx';

const refreshMs = 5_000;

/** Which facts of conversations are live, how those that were drawn last differ, and the commands to change that. */
export function Facts() {
  const facts = useAsk('admin.facts.get', [], { everyMs: refreshMs });
  return (
    <Answer of={facts} what="the facts">
      {(answer) => (
        <div class="stack">
          <Generations facts={answer} />
          {answer.comparison && <Comparison comparison={answer.comparison} />}
        </div>
      )}
    </Answer>
  );
}

function Generations({ facts: { live, conversations, generations } }: { readonly facts: FactsAnswer }) {
  const newest = Math.max(...generations.map(({ generation }) => generation));
  const before = generations
    .map(({ generation }) => generation)
    .filter((one) => one < live)
    .toSorted((a, b) => b - a)[0];
  const { may } = useSession();
  return (
    <Panel
      title="Facts of conversations"
      note={`${conversations.toLocaleString()} conversations`}
      actions={
        <>
          {newest > live && may('switchFacts') && (
            <Confirm
              name="admin.facts.switch"
              args={[]}
              kind="primary"
              label="Switch"
              title={`Switch to generation ${newest}`}
            >
              <p>
                The facts of generation {newest} become live. Those that only generation {live} has are
                archived, not lost. A roll-back returns to them.
              </p>
            </Confirm>
          )}
          {before !== undefined && may('rollbackFacts') && (
            <Confirm name="admin.facts.rollback" args={[]} label="Roll back" title="Roll the facts back">
              <p>The facts that were live before the last switch become live again.</p>
            </Confirm>
          )}
          {may('rebuildFacts') && <Redraw conversations={conversations} />}
        </>
      }
    >
      <Table
        label="Generations of facts"
        rows={generations}
        keyOf={({ generation }) => `${generation}`}
        columns={[
          { name: 'Generation', isNumber: true, cell: ({ generation }) => generation },
          { name: 'State', cell: ({ generation }) => generation === live && <Badge tone="good">live</Badge> },
          { name: 'Model', cell: ({ model }) => model ?? 'those of the spaces and layers' },
          {
            name: 'Conversations drawn',
            isNumber: true,
            cell: ({ drawn }) => `${drawn.toLocaleString()} of ${conversations.toLocaleString()}`,
          },
          { name: 'Facts', isNumber: true, cell: ({ facts }) => facts.toLocaleString() },
        ]}
      />
    </Panel>
  );
}

function Redraw({ conversations }: { readonly conversations: number }) {
  const [model, setModel] = useState('');
  const models = useAsk('models', []);
  const languageModels = (models.answer?.items ?? []).filter(({ kind }) => kind === 'language');
  if (models.answer && languageModels.length === 0)
    return <span class="muted">Drawing facts again needs a language model.</span>;
  return (
    <Confirm
      name="admin.facts.rebuild"
      args={[model === '' ? {} : { model }]}
      label="Draw again"
      title="Draw the facts again"
    >
      <div class="form">
        <p>
          The facts of all {conversations.toLocaleString()} conversations are drawn again beside the live
          ones. No search finds them until you switch. Every conversation is sent to the model, which may cost
          money.
        </p>
        <Select
          label="Language model"
          value={model}
          onValue={setModel}
          choices={[
            ['', 'those of the spaces and layers'],
            ...languageModels.map(({ id }) => [id, id] as const),
          ]}
        />
      </div>
    </Confirm>
  );
}

function Comparison({ comparison }: { readonly comparison: NonNullable<FactsAnswer['comparison']> }) {
  const { generation, same, onlyLive, onlyOther } = comparison;
  return (
    <Panel title={`The live facts and generation ${generation}`}>
      <div class="figures">
        <Figure name="The same" value={same.toLocaleString()} />
        <Figure name="Only live" value={onlyLive.count.toLocaleString()} />
        <Figure name={`Only in generation ${generation}`} value={onlyOther.count.toLocaleString()} />
      </div>
      <div class="grid">
        {(
          [
            ['Only live', onlyLive.examples],
            [`Only in generation ${generation}`, onlyOther.examples],
          ] as const
        ).map(([title, examples]) => (
          <section key={title}>
            <h3>{title}</h3>
            {examples.map(({ id, content }) => (
              <Link key={id} class="row" to={`/memories/${id}`}>
                <LongText text={content} />
              </Link>
            ))}
            {examples.length === 0 && <p class="muted">None.</p>}
          </section>
        ))}
      </div>
    </Panel>
  );
}
