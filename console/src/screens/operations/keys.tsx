import type { ApiKey } from '@stratalog/client';
import { useRef } from 'preact/hooks';
import { useSession } from '../../app/session.tsx';
import { usePages } from '../../app/use-pages.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog, type DialogHandle } from '../../ui/dialog.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Panel } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { keyState, scopesOf } from './key-facts.ts';
import { NewKey } from './new-key.tsx';

/** The keys of the tenant, newest first, and what each may do. */
export function Keys() {
  const { may } = useSession();
  const dialog = useRef<DialogHandle>(null);
  const keys = usePages('admin.keys.list', [{ limit: 100 }]);
  return (
    <Panel
      title="Keys"
      note="newest first; their secrets are not stored anywhere"
      actions={
        may('createKey') && (
          <Button kind="primary" onClick={() => dialog.current?.show()}>
            New key
          </Button>
        )
      }
    >
      <PagedList
        of={keys}
        what="the keys"
        label="Keys"
        rowHeight={86}
        empty={
          <Empty title="There is no key yet">
            Everybody who reaches the server is an admin. The first key must be one of an admin; from then on
            every call needs a key.
          </Empty>
        }
      >
        {(key) => <KeyRow apiKey={key} />}
      </PagedList>
      <Dialog handle={dialog} title="New key">
        <NewKey isFirst={keys.items.length === 0} onDone={() => dialog.current?.close()} />
      </Dialog>
    </Panel>
  );
}

const tones = { active: 'good', expired: 'warn', revoked: 'plain' } as const;

function KeyRow({ apiKey }: { readonly apiKey: ApiKey }) {
  const { may } = useSession();
  const state = keyState(apiKey, Date.now());
  const { id, name, role, createdAt, expiresAt, revokedAt } = apiKey;
  return (
    <div class="row">
      <div class="follower-head">
        <strong>{name ?? 'without a name'}</strong>
        <span class="badges">
          <Badge tone="accent">{role}</Badge>
          <Badge tone={tones[state]}>{state}</Badge>
        </span>
        {state !== 'revoked' && may('revokeKey') && (
          <span class="panel-actions">
            <Confirm
              name="admin.keys.revoke"
              args={[id]}
              kind="danger"
              label="Revoke"
              title={`Revoke ${name ?? 'this key'}`}
            >
              <p>
                Whoever uses this key of the role {role} is refused within seconds, in all processes. This
                cannot be undone; a new key can be created. If it is the key of this console, you are signed
                out.
              </p>
            </Confirm>
          </span>
        )}
      </div>
      <span class="muted wrap">{scopesOf(apiKey) || 'the whole tenant'}</span>
      <span class="muted">
        created <Time at={createdAt} />
        {expiresAt !== undefined && (
          <>
            , {state === 'expired' ? 'ended' : 'ends'} <Time at={expiresAt} />
          </>
        )}
        {revokedAt !== undefined && (
          <>
            , revoked <Time at={revokedAt} />
          </>
        )}
      </span>
    </div>
  );
}
