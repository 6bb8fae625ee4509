import { useAsk } from '../../app/use-ask.ts';
import { Answer } from '../../ui/answer.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Panel } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { Interval } from './interval.tsx';
import { lookOf } from './value-look.ts';

/** Whether values of memories count in the ranking, and the evidence for that. */
export function ValueLooks() {
  const events = useAsk('audit.events', [{ type: ['ValuesCompared'], limit: 500 }], { once: true });
  return (
    <Answer of={events} what="the comparisons">
      {({ items }) => {
        const looks = items.map(lookOf).toReversed();
        const [latest] = looks;
        return (
          <Panel
            title="Do values help the ranking?"
            note={
              latest &&
              (latest.weight > 0 ? (
                <Badge tone="good">proven: they count in the ranking</Badge>
              ) : (
                <Badge>not proven: they do not count in the ranking</Badge>
              ))
            }
            actions={
              <Button kind="quiet" onClick={events.repeat} disabled={events.isFetching}>
                Look again
              </Button>
            }
          >
            {latest ? (
              <>
                <Interval gain={latest.gain} label="Gain in nDCG by the values of memories" />
                <Table
                  label="Comparisons with and without values"
                  rows={looks}
                  keyOf={({ id }) => id}
                  columns={[
                    { name: 'When', cell: ({ at }) => <Time at={at} /> },
                    {
                      name: 'Searches',
                      isNumber: true,
                      cell: ({ searches }) => searches?.toLocaleString() ?? '',
                    },
                    {
                      name: 'Gain in nDCG, interval of 95 %',
                      cell: ({ gain }) => <Interval gain={gain} label="Gain in nDCG" />,
                    },
                    { name: 'Weight from then on', isNumber: true, cell: ({ weight }) => weight },
                  ]}
                />
              </>
            ) : (
              <Empty title="Values were not compared yet">
                The first comparison needs 50 searches in which something was used.
              </Empty>
            )}
          </Panel>
        );
      }}
    </Answer>
  );
}
