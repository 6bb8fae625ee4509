import type { ListProjectionsAnswer, ReadyzAnswer } from '@stratalog/client';
import { useSession } from '../../app/session.tsx';
import { useAsk } from '../../app/use-ask.ts';
import { Answer } from '../../ui/answer.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Panel } from '../../ui/page.tsx';
import { Figure, Table } from '../../ui/table.tsx';
import { partitionsOf } from './partitions.ts';

const refreshMs = 2_000;

/** How far the relay to Kafka has got, and how far read models are in each partition of the log. */
export function Relay() {
  const { may } = useSession();
  const readiness = useAsk('readiness', [], { everyMs: refreshMs });
  const projections = useAsk('admin.projections.list', [{}], {
    everyMs: refreshMs,
    enabled: may('listProjections'),
  });
  return (
    <div class="stack">
      <Answer of={readiness} what="the state of the relay">
        {(answer) => <RelayState answer={answer} />}
      </Answer>
      {may('listProjections') && (
        <Answer of={projections} what="the partitions">
          {(answer) => <Partitions answer={answer} />}
        </Answer>
      )}
    </div>
  );
}

function RelayState({ answer: { relay, profile } }: { readonly answer: ReadyzAnswer }) {
  if (!relay)
    return (
      <Empty title="This process has no relay">
        {profile === 'embedded'
          ? 'The embedded profile needs none: read models follow the log directly.'
          : 'It runs where a process has the role relay. Open the console of that process, or look at the metric stratalog_relay_lag.'}
      </Empty>
    );
  const tone = { active: 'good', standby: undefined, failing: 'danger' } as const;
  const stateTone = tone[relay.state];
  return (
    <Panel title="Relay to Kafka">
      <div class="figures">
        <Figure name="State" value={relay.state} {...(stateTone && { tone: stateTone })} />
        {'checkpoint' in relay && (
          <>
            <Figure name="Positions behind" value={relay.positionsBehind.toLocaleString()} />
            <Figure name="Seconds behind" value={relay.secondsBehind.toLocaleString()} />
            <Figure name="Events per second" value={relay.eventsPerSecond.toLocaleString()} />
            <Figure name="Published" value={relay.publishedEvents.toLocaleString()} note="events" />
            <Figure name="Withheld" value={relay.withheldEvents.toLocaleString()} note="events" />
            <Figure name="Checkpoint" value={relay.checkpoint.toLocaleString()} note="position" />
          </>
        )}
      </div>
      {'error' in relay && relay.error !== undefined && <p class="problem">{relay.error}</p>}
    </Panel>
  );
}

function Partitions({ answer }: { readonly answer: ListProjectionsAnswer }) {
  const { partitions, rows } = partitionsOf(answer);
  if (partitions.length === 0)
    return <p class="muted">The log of this profile has one partition. Read models shows how far each is.</p>;
  return (
    <Panel title="Partitions" note="position of each live read model">
      <Table
        label="Positions by read model and partition"
        rows={rows}
        keyOf={({ name }) => name}
        columns={[
          { name: 'Read model', cell: ({ name }) => name },
          ...partitions.map((partition) => ({
            name: `Partition ${partition}`,
            isNumber: true,
            cell: ({ positions }: (typeof rows)[number]) => positions[partition]?.toLocaleString() ?? '',
          })),
        ]}
      />
    </Panel>
  );
}
