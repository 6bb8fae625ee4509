import type { Erasure } from '@stratalog/client';
import { useAddress } from '../../app/address.tsx';
import { useAsk } from '../../app/use-ask.ts';
import { Answer } from '../../ui/answer.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Field } from '../../ui/field.tsx';
import { Panel } from '../../ui/page.tsx';
import { Facts, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { Checks } from './checks.tsx';
import { Download } from './download.tsx';
import { useVerdict } from './use-verdict.ts';
import { verifyReceipt } from './verify-file.ts';

/** The receipt of an erasure: what it cleared, and whether its signature and its proof hold. */
export function ReceiptPanel({ verifierKey }: { readonly verifierKey: string }) {
  const { values, set } = useAddress();
  const id = values['erasure'] ?? '';
  const erasure = useAsk('admin.erasures.get', [id, {}], { enabled: id !== '', keepsPrevious: false });
  const recent = useAsk('audit.events', [{ type: ['ErasureRequested'], order: 'newest', limit: 10 }], {
    once: true,
  });
  return (
    <Panel
      title="Receipt of an erasure"
      actions={
        erasure.answer && <Download text={JSON.stringify(erasure.answer, null, 2)} name="receipt.json" />
      }
    >
      <Field label="Id of the receipt" value={id} onValue={(value) => set({ erasure: value.trim() })} />
      {id === '' ? (
        <Empty title="No receipt is chosen">
          {recent.answer?.items.length
            ? 'The last erasures:'
            : 'Each erasure of a memory, a document or a person has one; none was made yet.'}
        </Empty>
      ) : (
        <Answer of={erasure} what="the receipt">
          {(found) => <Receipt erasure={found} verifierKey={verifierKey} />}
        </Answer>
      )}
      <ul class="plain-list">
        {recent.answer?.items.map(({ id: key, data, at, actor }) => (
          <li key={key}>
            <button
              type="button"
              class="button quiet"
              onClick={() => set({ erasure: String(data['erasureId']) })}
            >
              {String(data['erasureId'])}
            </button>{' '}
            by {actor} · <Time at={at} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Receipt({ erasure, verifierKey }: { readonly erasure: Erasure; readonly verifierKey: string }) {
  const verdict = useVerdict(() => verifyReceipt(erasure, verifierKey), [erasure, verifierKey]);
  const { target, state, requestedAt, requestedBy, completedAt, reason, surfaces, outOfReach } = erasure;
  return (
    <>
      <Checks verdict={verdict} />
      <Facts
        facts={[
          [
            'State',
            <Badge key="state" tone={state === 'complete' ? 'good' : 'warn'}>
              {state}
            </Badge>,
          ],
          ['Of', [target.kind, target.memoryId ?? target.subject ?? target.tenant].filter(Boolean).join(' ')],
          [
            'Requested',
            <span key="by">
              <Time at={requestedAt} exact /> by {requestedBy}
            </span>,
          ],
          ['Completed', completedAt && <Time at={completedAt} exact />],
          ['Reason', reason],
        ]}
      />
      <Table
        label="What each place held"
        rows={surfaces}
        keyOf={({ name }) => name}
        columns={[
          { name: 'Place', cell: ({ name }) => name },
          { name: 'Entries', cell: ({ count }) => count.toLocaleString(), isNumber: true },
          { name: 'State', cell: ({ state: one }) => one },
          { name: 'Note', cell: ({ note }) => note },
        ]}
      />
      {outOfReach.length > 0 && (
        <ul>
          {outOfReach.map(({ what, why }) => (
            <li key={what}>
              <strong>Out of reach: {what}</strong>: {why}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
