import type { MemoryVersion } from '@stratalog/client';
import { useEffect } from 'preact/hooks';
import { useAt } from '../../app/time-bar.tsx';
import { usePages } from '../../app/use-pages.ts';
import { Loading, Trouble } from '../../ui/answer.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Panel } from '../../ui/page.tsx';
import { TextDiff } from '../../ui/text-diff.tsx';
import { Time } from '../../ui/time.tsx';
import { describeEvent } from '../audit/describe.ts';

/** Who changed a memory, when and why, with a diff of each version. */
export function Versions({ id, revision }: { readonly id: string; readonly revision: number }) {
  const at = useAt();
  // Reading a history is recorded, so it is read again only when the memory has changed.
  const history = usePages('memories.history', [id, { includeQuarantined: 'true', limit: 200 }], {
    once: true,
  });
  const latest = history.items.at(-1)?.revision ?? revision;
  useEffect(() => {
    if (revision > latest) history.repeat();
  }, [revision]);
  const versions = history.items.filter((version) => at === undefined || version.at <= at).toReversed();
  return (
    <Panel
      title="Who changed it"
      note={history.isPending ? undefined : `${versions.length} versions, newest first`}
    >
      {history.error && <Trouble error={history.error} onRepeat={history.repeat} />}
      {history.isPending && !history.error && <Loading what="the history" />}
      {history.hasMore && <Button onClick={history.more}>Load newer versions</Button>}
      <ol class="versions">
        {versions.map((version) => (
          <Version key={version.revision} version={version} />
        ))}
      </ol>
    </Panel>
  );
}

function Version({ version }: { readonly version: MemoryVersion }) {
  const { actor, at, cause, changes, onBehalfOf, reason, revision, type } = version;
  return (
    <li>
      <p>
        <Badge>{revision}</Badge> <strong>{describeEvent(type)}</strong> by {actor}
        {onBehalfOf !== undefined && ` for ${onBehalfOf}`}
        {cause !== 'user' && ` (${cause})`} · <Time at={at} />
      </p>
      {reason !== undefined && <p class="muted">Reason: {reason}</p>}
      {revision > 0 && (
        <dl class="changes">
          {Object.entries(changes).map(([field, { from, to }]) => (
            <div key={field}>
              <dt>{field}</dt>
              <dd>
                <TextDiff before={shown(from)} after={shown(to)} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  );
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 1);
}
