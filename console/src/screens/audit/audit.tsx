import { useAddress } from '../../app/address.tsx';
import { useSession } from '../../app/session.tsx';
import { Page } from '../../ui/page.tsx';
import { AuditFilters } from './audit-filters.tsx';
import { Log } from './log.tsx';
import { LiveTail } from './live-tail.tsx';
import { SavedFilters } from './saved-filters.tsx';
import { WhatIf } from './what-if.tsx';
import './audit.css';

const views = [
  ['log', 'The log'],
  ['live', 'Live'],
  ['what-if', 'What if?'],
] as const;

/** Who read or changed what: the log with filters, a live tail, and what would have been answered without some events. */
export default function Audit() {
  const { values, set } = useAddress();
  const { may } = useSession();
  const view = views.find(([name]) => name === values['view'])?.[0] ?? 'log';
  return (
    <Page
      title="Audit"
      question="Who read or changed what?"
      followsTime={view === 'log'}
      actions={
        <nav class="views" aria-label="Views of the audit">
          {views
            .filter(([name]) => name !== 'what-if' || may('whatIf'))
            .map(([name, label]) => (
              <button
                key={name}
                type="button"
                class="button"
                aria-pressed={name === view}
                onClick={() => set({ view: name === 'log' ? undefined : name, event: undefined }, 'push')}
              >
                {label}
              </button>
            ))}
        </nav>
      }
    >
      {view !== 'what-if' && (
        <>
          <AuditFilters />
          <SavedFilters />
        </>
      )}
      {view === 'log' && <Log />}
      {view === 'live' && <LiveTail />}
      {view === 'what-if' && <WhatIf />}
    </Page>
  );
}
