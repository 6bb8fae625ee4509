import type { AuditEventsAnswer, ListMemoriesAnswer } from '@stratalog/client';
import { useSession } from '../../app/session.tsx';
import { useAsk } from '../../app/use-ask.ts';
import { Answer } from '../../ui/answer.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Page, Panel } from '../../ui/page.tsx';
import { Changed } from './changed.tsx';
import { Known } from './known.tsx';
import { TimeSlider } from './slider.tsx';
import '../audit/audit.css';
import './time.css';

/** What was known at a time, and what changed between two. */
export default function TimeMachine() {
  const { may } = useSession();
  const mayAudit = may('auditEvents');
  // For roles that may not read the log, time begins with the oldest memory.
  const event = useAsk('audit.events', [{ limit: 1 }], { enabled: mayAudit, once: true });
  const memory = useAsk('memories.list', [{ order: 'oldest', limit: 1 }], { enabled: !mayAudit, once: true });
  return (
    <Page title="Time machine" question="What was known then, and what changed since?" followsTime>
      <Answer<AuditEventsAnswer | ListMemoriesAnswer>
        of={mayAudit ? event : memory}
        what="the beginning of the log"
      >
        {(page) => {
          const first = page.items[0];
          if (!first) return <Empty title="Nothing was recorded yet">Store a memory, and time begins.</Empty>;
          const begin = 'at' in first ? first.at : first.createdAt;
          return (
            <div class="stack">
              <Panel title="Time">
                <TimeSlider begin={begin} />
              </Panel>
              <Known />
              {mayAudit ? (
                <Changed begin={begin} />
              ) : (
                <Empty title="What changed is shown to auditors and admins">
                  The list of memories follows the chosen time for everyone.
                </Empty>
              )}
            </div>
          );
        }}
      </Answer>
    </Page>
  );
}
