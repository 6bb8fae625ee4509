import type { StoredMemory } from '@stratalog/client';
import { Link } from '../../app/address.tsx';
import { useSession } from '../../app/session.tsx';
import { useAt } from '../../app/time-bar.tsx';
import { useAsk } from '../../app/use-ask.ts';
import { Answer } from '../../ui/answer.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Empty } from '../../ui/empty.tsx';
import { LongText } from '../../ui/long-text.tsx';
import { Panel } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';

/** What a memory led to: the summaries that quote it, and the lessons of attempts that used it. */
export function Derived({ memory }: { readonly memory: StoredMemory }) {
  const { may } = useSession();
  return (
    <div class="grid">
      <Summaries memory={memory} />
      {may('auditEvents') && may('listStrategies') && <Lessons id={memory.id} />}
    </div>
  );
}

function Summaries({ memory }: { readonly memory: StoredMemory }) {
  const at = useAt();
  const summaries = useAsk('summaries.list', [{ layer: memory.layer, ...(at && { asOf: at }) }]);
  return (
    <Panel title="Summaries that quote it">
      <Answer of={summaries} what="the summaries">
        {({ items }) => {
          const quoting = items.filter(({ sources }) => sources.some(({ id }) => id === memory.id));
          if (quoting.length === 0)
            return (
              <Empty title="No summary quotes it">
                <Link to="/layers">See the summaries of its layer</Link>
              </Empty>
            );
          return (
            <ul class="plain-list">
              {quoting.map(({ depth, content, sources, freshness, generatedAt, scope }) => (
                <li key={`${depth} ${JSON.stringify(scope)}`}>
                  <Badge>{depth}</Badge> {freshness.stale && <Badge tone="warn">not fresh</Badge>}{' '}
                  <span class="muted">
                    <Time at={generatedAt} />, it is source{' '}
                    {sources.findIndex(({ id }) => id === memory.id) + 1} of {sources.length}
                  </span>
                  <LongText text={content} />
                </li>
              ))}
            </ul>
          );
        }}
      </Answer>
    </Panel>
  );
}

function Lessons({ id }: { readonly id: string }) {
  const at = useAt();
  const attempts = useAsk(
    'audit.events',
    [{ memory: id, type: ['ReasoningTraceRecorded'], order: 'newest', limit: 100, ...(at && { to: at }) }],
    { once: true },
  );
  const lessons = useAsk('reasoning.strategies', [{ limit: 200 }]);
  return (
    <Panel title="Attempts that used it, and their lessons">
      <Answer of={attempts} what="the attempts">
        {({ items }) => {
          if (items.length === 0) return <Empty title="No recorded attempt used it" />;
          const traces = new Set(items.map(({ data }) => String(data['traceId'])));
          const learned = (lessons.answer?.items ?? []).filter(({ sources }) =>
            sources.some((source) => traces.has(source)),
          );
          return (
            <ul class="plain-list">
              {items.map(({ id: key, data, at: when, actor }) => (
                <li key={key}>
                  <Badge tone={data['outcome'] === 'success' ? 'good' : 'plain'}>
                    {String(data['outcome'])}
                  </Badge>{' '}
                  {typeof data['query'] === 'string' ? data['query'] : 'erased'} · {actor} ·{' '}
                  <Time at={when} />
                </li>
              ))}
              {learned.map(({ id: key, title, content }) => (
                <li key={key}>
                  <Badge tone="accent">lesson</Badge> {title}
                  <LongText text={content} />
                </li>
              ))}
            </ul>
          );
        }}
      </Answer>
    </Panel>
  );
}
