import type { ReadyzAnswer } from '@stratalog/client';
import { useAsk } from '../../app/use-ask.ts';
import { Answer, Trouble } from '../../ui/answer.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Panel } from '../../ui/page.tsx';
import { Facts, Figure } from '../../ui/table.tsx';
import { Calls } from './calls.tsx';
import { ProcessMemory } from './process-memory.tsx';
import { Throughput } from './throughput.tsx';
import { useMaySeeMetrics, useMetrics } from './use-metrics.ts';

const sampleMs = 2_000;

/** The state of the process that answers, what it does each second, and what it keeps in memory. */
export function Server() {
  const readiness = useAsk('readiness', [], { everyMs: sampleMs });
  const maySeeMetrics = useMaySeeMetrics();
  const metrics = useMetrics(sampleMs);
  const log = readiness.answer?.log;
  return (
    <div class="stack">
      <Answer of={readiness} what="the state of the server">
        {(answer) => <State answer={answer} />}
      </Answer>
      {maySeeMetrics && (
        <>
          {metrics.error && <Trouble error={metrics.error} onRepeat={metrics.repeat} />}
          <Throughput metrics={metrics.answer} head={log && 'head' in log ? log.head : undefined} />
          {metrics.answer && <Calls samples={metrics.answer.samples} />}
          {metrics.answer && <ProcessMemory samples={metrics.answer.samples} />}
        </>
      )}
    </div>
  );
}

function State({ answer }: { readonly answer: ReadyzAnswer }) {
  const { status, profile, roles, identity, log, backEnds, embedder } = answer;
  return (
    <Panel title="State">
      <div class="figures">
        <Figure name="Server" value={status} tone={status === 'ready' ? 'good' : 'danger'} />
        <Figure
          name="Log"
          value={'head' in log ? log.head.toLocaleString() : 'error' in log ? 'down' : log.state}
          note={'head' in log ? 'head position' : undefined}
          {...(('error' in log || ('state' in log && log.state === 'down')) && { tone: 'danger' as const })}
        />
        {'bulkStores' in answer && answer.bulkStores && (
          <Figure
            name="Bulk stores"
            value={answer.bulkStores === 'open' ? 'open' : 'held back'}
            {...(answer.bulkStores !== 'open' && { tone: 'warn' as const })}
          />
        )}
        {embedder && (
          <Figure
            name="Embedding model"
            value={embedder.state}
            note={embedder.model}
            tone={embedder.state === 'up' ? 'good' : 'danger'}
          />
        )}
      </div>
      {'error' in log && <p class="problem">{log.error}</p>}
      {embedder && 'error' in embedder && <p class="problem">{embedder.error}</p>}
      <Facts
        facts={[
          ['profile', profile],
          [
            'roles of this process',
            <span key="roles" class="badges">
              {roles.map((role) => (
                <Badge key={role}>{role}</Badge>
              ))}
            </span>,
          ],
          [
            'credentials',
            identity === 'development' ? 'none needed: no key was ever created' : 'keys or tokens',
          ],
          ...Object.entries(backEnds).map(
            ([name, backEnd]) =>
              [
                name,
                <span key={name}>
                  <Badge tone={backEnd.state === 'up' ? 'good' : 'danger'}>{backEnd.state}</Badge>{' '}
                  {'version' in backEnd && backEnd.version}
                  {'error' in backEnd && backEnd.error}
                </span>,
              ] as const,
          ),
        ]}
      />
    </Panel>
  );
}
