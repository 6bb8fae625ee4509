import type { Lesson } from '@stratalog/client';
import { useSession } from '../../app/session.tsx';
import { usePages } from '../../app/use-pages.ts';
import { Badge } from '../../ui/badge.tsx';
import { Empty } from '../../ui/empty.tsx';
import { LongText } from '../../ui/long-text.tsx';
import { Panel } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { Attempts } from './attempts.tsx';

/** What attempts at similar questions have taught, best first, and the attempts themselves. */
export function Lessons() {
  const { may } = useSession();
  const lessons = usePages('reasoning.strategies', [{ limit: 50 }]);
  return (
    <div class="stack">
      <Panel title="Lessons" note="what attempts at similar questions have taught, best first">
        <PagedList
          of={lessons}
          what="the lessons"
          label="Lessons"
          rowHeight={120}
          empty={
            <Empty title="There is no lesson yet">
              Two recorded attempts at similar questions make one. Agents record attempts with POST
              /v1/reasoning/traces.
            </Empty>
          }
        >
          {(lesson) => <LessonRow lesson={lesson} />}
        </PagedList>
      </Panel>
      {may('reasoningHistory') && <Attempts />}
    </div>
  );
}

function LessonRow({ lesson }: { readonly lesson: Lesson }) {
  const { title, description, content, support, failures, model, fallback, layer, revisedAt } = lesson;
  return (
    <div class="row">
      <strong dir="auto">{title}</strong>
      <LongText text={description} />
      <LongText text={content} />
      <span class="badges muted">
        <Badge tone={support > 0 ? 'good' : 'warn'}>
          {support > 0 ? `${support.toLocaleString()} successes` : 'only warns'}
        </Badge>
        {failures > 0 && <Badge tone="danger">{failures.toLocaleString()} failures</Badge>}
        <Badge>{layer}</Badge>
        <span>
          written by {model}
          {fallback !== undefined && ` (${fallback})`}, <Time at={revisedAt} />
        </span>
      </span>
    </div>
  );
}
