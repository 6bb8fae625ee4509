import type { StoredMemory } from '@stratalog/client';
import type { ComponentChildren } from 'preact';
import { Link } from '../../app/address.tsx';
import { Badge } from '../../ui/badge.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { LongText } from '../../ui/long-text.tsx';
import { Panel } from '../../ui/page.tsx';
import { rounded } from '../../ui/rounded.ts';
import { Facts } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { WebAddress } from '../../ui/web-address.tsx';

const stateTones = { active: 'good', archived: 'warn', deleted: 'danger' } as const;
const trustTones = { trusted: 'good', quarantined: 'warn', rejected: 'danger' } as const;

/** What a memory is and where it is from: its text and all its fields. */
export function About({ memory }: { readonly memory: StoredMemory }) {
  const { content, metadata, representations, source, trust, feedback } = memory;
  const rated = Object.entries(feedback).filter(([, count]) => count > 0);
  return (
    <Panel title="What it is" actions={<CopyButton text={content} label="Copy the text" />}>
      <LongText text={content} />
      <div class="badges">
        <Badge tone={stateTones[memory.state]}>{memory.state}</Badge>
        <Badge>{memory.layer}</Badge>
        {memory.spaces.map((space) => (
          <Badge key={space} tone="accent">
            {space}
          </Badge>
        ))}
        {memory.tags.map((tag) => (
          <Badge key={tag}>#{tag}</Badge>
        ))}
      </div>
      <div class="grid">
        <Facts
          facts={[
            ['Id', <code key="id">{memory.id}</code>],
            ['External id', memory.externalId],
            ['Scope', <Pairs key="scope" value={memory.scope} />],
            ['Stored', <When key="stored" at={memory.createdAt} by={memory.createdBy} />],
            ['Last change', <When key="changed" at={memory.updatedAt} by={`revision ${memory.revision}`} />],
            ['Happened', memory.occurredAt && <Time at={memory.occurredAt} exact />],
            ['Told again', toldAgain(memory)],
            ['Expires', memory.expiresAt && <Time at={memory.expiresAt} exact />],
            ['Retention', memory.retention === 'keep' ? 'kept: nothing deletes it by itself' : undefined],
            ['Restorable until', memory.retentionUntil && <Time at={memory.retentionUntil} exact />],
            ['Metadata', Object.keys(metadata).length === 0 ? undefined : <Pairs value={metadata} />],
          ]}
        />
        <Facts
          facts={[
            ['From', <Badge key="from">{trust.source}</Badge>],
            ['Document', source && <Citation source={source} />],
            [
              'Trust',
              <span key="trust" class="badges">
                <Badge tone={trustTones[trust.state]}>{trust.state}</Badge>
                {trust.flags.map((flag) => (
                  <Badge key={flag} tone="warn">
                    {flag}
                  </Badge>
                ))}
              </span>,
            ],
            ['Reviewed by', trust.reviewedBy],
            [
              'Personal data',
              memory.pii?.map(({ type, start, end }) => `${type} at ${start} to ${end}`).join(', '),
            ],
            ['Found', timesFound(memory)],
            ['Value from use', `${rounded(memory.importance)} of 1`],
            ['Feedback', rated.map(([kind, count]) => `${count} × ${kind}`).join(', ')],
            ['Cited by', memory.citations],
            [
              'Other forms',
              Object.keys(representations).length === 0 ? undefined : <Pairs value={representations} />,
            ],
          ]}
        />
      </div>
    </Panel>
  );
}

function When({ at, by }: { readonly at: string; readonly by: ComponentChildren }) {
  return (
    <>
      <Time at={at} exact /> · {by}
    </>
  );
}

const times = (count: number): string => (count === 1 ? 'once' : `${count.toLocaleString()} times`);

function toldAgain({ affirmations, affirmedAt }: StoredMemory): ComponentChildren {
  if (affirmations === 0) return undefined;
  return (
    <>
      {times(affirmations)}
      {affirmedAt && (
        <>
          , last <Time at={affirmedAt} />
        </>
      )}
    </>
  );
}

function timesFound({ accessCount, lastAccessedAt }: StoredMemory): ComponentChildren {
  if (accessCount === 0) return 'never yet';
  return (
    <>
      {times(accessCount)}
      {lastAccessedAt && (
        <>
          , last <Time at={lastAccessedAt} />
        </>
      )}
    </>
  );
}

/** Names with their values; a value that is no text is JSON. */
function Pairs({ value }: { readonly value: object }) {
  return (
    <dl class="pairs">
      {Object.entries(value).map(([name, one]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{typeof one === 'string' ? one : JSON.stringify(one)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Where in a document a section stands. */
function Citation({ source }: { readonly source: NonNullable<StoredMemory['source']> }) {
  const { documentId, externalId, path = [], page, pages, start, end, title, uri } = source;
  const place = [
    ...path,
    ...(pages && pages.length > 1
      ? [`pages ${pages[0]} to ${pages.at(-1)}`]
      : page === undefined
        ? []
        : [`page ${page}`]),
    ...(start === undefined || end === undefined ? [] : [`characters ${start} to ${end}`]),
  ];
  return (
    <>
      <Link to={`/documents/${documentId}`}>{title ?? externalId ?? documentId}</Link>
      {place.length > 0 && <div class="muted">{place.join(' › ')}</div>}
      {uri !== undefined && (
        <div>
          <WebAddress address={uri} />
        </div>
      )}
    </>
  );
}
