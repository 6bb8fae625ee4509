import type { AuditHeadsAnswer } from '@stratalog/client';
import { useState } from 'preact/hooks';
import { useSession } from '../../app/session.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Select } from '../../ui/field.tsx';
import { Panel } from '../../ui/page.tsx';
import { Figure } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { Checks } from './checks.tsx';
import { Download } from './download.tsx';
import { useVerdict } from './use-verdict.ts';
import { verifyGrowth } from './verify.ts';

const time = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** Whether the log only grew between two signed heads: those of the server, or one that was kept elsewhere. */
export function HeadsPanel({
  heads,
  verifierKey,
}: {
  readonly heads: AuditHeadsAnswer;
  readonly verifierKey: string;
}) {
  const { items, origin, restoredFrom = [] } = heads;
  const [from, setFrom] = useState('');
  const [kept, setKept] = useState('');
  const newest = items[0];
  const chosen = items.find(({ position }) => position === from) ?? items.at(-1);
  if (!newest || !chosen)
    return (
      <Panel title="The log only grew">
        <Empty title="No head was signed yet">One is signed within a minute after the first events.</Empty>
      </Panel>
    );
  return (
    <Panel
      title="The log only grew"
      actions={<Download text={newest.note} name="head.txt" label="Save the last head" />}
    >
      <div class="figures">
        <Figure name="Events" value={newest.size.toLocaleString()} note={origin} />
        <Figure
          name="Last head"
          value={<Time at={newest.at} />}
          note={newest.cosignedBy?.join(', ') ?? 'no witness signed it'}
        />
        {restoredFrom.length > 0 && (
          <Figure
            name="Restored from"
            value={restoredFrom.length}
            note={restoredFrom.at(-1)!.origin}
            tone="warn"
          />
        )}
      </div>
      <Select
        label="Since the head of"
        value={chosen.position}
        onValue={setFrom}
        choices={items.map(
          ({ position, at, size }) =>
            [position, `${time.format(new Date(at))} (${size.toLocaleString()} events)`] as const,
        )}
      />
      <label class="wide-label">
        Or since a head that you have kept: paste it
        <textarea
          rows={kept === '' ? 1 : 6}
          value={kept}
          spellcheck={false}
          onInput={({ currentTarget }) => setKept(currentTarget.value)}
        />
      </label>
      {kept === '' && <Badge tone="warn">both heads are the server's</Badge>}
      <Growth
        earlier={kept === '' ? chosen.note : withEnd(kept)}
        later={newest.note}
        verifierKey={verifierKey}
      />
    </Panel>
  );
}

/** A pasted note often lacks its last line break. */
const withEnd = (note: string): string => `${note.trimEnd()}\n`;

function Growth({
  earlier,
  later,
  verifierKey,
}: {
  readonly earlier: string;
  readonly later: string;
  readonly verifierKey: string;
}) {
  const { client } = useSession();
  const verdict = useVerdict(
    () =>
      verifyGrowth(
        earlier,
        later,
        verifierKey,
        async (name) => new Uint8Array(await client.audit.tile(name)),
      ),
    [earlier, later, verifierKey],
  );
  return <Checks verdict={verdict} />;
}
