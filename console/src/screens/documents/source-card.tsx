import type { Source } from '@stratalog/client';
import { useRef } from 'preact/hooks';
import { Link } from '../../app/address.tsx';
import { useSession } from '../../app/session.tsx';
import { useChange } from '../../app/use-ask.ts';
import { Trouble } from '../../ui/answer.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog, type DialogHandle } from '../../ui/dialog.tsx';
import { Panel } from '../../ui/page.tsx';
import { Facts } from '../../ui/table.tsx';
import type { Tone } from '../../ui/tone.ts';
import { Time } from '../../ui/time.tsx';
import { prefixOf } from './document-facts.ts';
import { OutsideLink } from './outside-link.tsx';
import { RemoveSource } from './remove-source.tsx';
import { SourceForm } from './source-form.tsx';

const tones: Readonly<Record<Source['state'], Tone>> = {
  waiting: 'good',
  due: 'accent',
  failing: 'danger',
  disabled: 'plain',
  held: 'warn',
};

const stateWords: Readonly<Record<Source['state'], string>> = {
  waiting: 'waits for its next run',
  due: 'about to be read, or being read',
  failing: 'the last run failed as a whole; the next ones wait longer',
  disabled: 'its schedule does not count',
  held: 'held back by a space that takes nothing by itself; "Run now" reads it all the same',
};

/** One source: what it reads, how the last run went, and when the next one is. */
export function SourceCard({ source }: { readonly source: Source }) {
  const { may } = useSession();
  const run = useChange('sources.run');
  const edit = useRef<DialogHandle>(null);
  const remove = useRef<DialogHandle>(null);
  const { id, type, state, lastRun, nextRun, url, path, scope } = source;
  const identifiers = Object.entries(scope).filter(([key]) => key !== 'company');
  return (
    <Panel
      title={id}
      note={type}
      actions={
        <>
          <Link to="/documents" values={{ prefix: prefixOf(source) }}>
            Its documents
          </Link>
          {may('runSource') && (
            <Button
              disabled={run.isRunning || state === 'due'}
              onClick={() => void run.run([id])}
              aria-label={`Run now: ${id}`}
            >
              Run now
            </Button>
          )}
          {may('patchSource') && (
            <Button onClick={() => edit.current?.show()} aria-label={`Change ${id}`}>
              Change
            </Button>
          )}
          {may('deleteSource') && (
            <Button kind="danger" onClick={() => remove.current?.show()} aria-label={`Remove ${id}`}>
              Remove
            </Button>
          )}
        </>
      }
    >
      <p class="badges" role="status">
        <Badge tone={tones[state]}>{state}</Badge>
        <span class="muted">{stateWords[state]}</span>
      </p>
      {run.error && <Trouble error={run.error} />}
      {lastRun?.problem && (
        <p class="problem">
          The last run: {lastRun.problem.detail} ({lastRun.problem.code})
        </p>
      )}
      <Facts
        facts={[
          [
            'reads',
            <span key="place" class="source-place">
              {url === undefined ? path : <OutsideLink url={url} />}
            </span>,
          ],
          ['schedule', `${source.schedule}, in UTC`],
          ['last run', lastRun ? <Time key="last" at={lastRun.at} /> : 'never'],
          ['found there', lastRun && runText(lastRun)],
          ['next run', nextRun ? <Time key="next" at={nextRun} /> : 'none'],
          ['layer', [source.layer, ...identifiers.map(([key, value]) => `${key} ${value}`)].join(', ')],
          ['spaces', source.spaces.length === 0 ? 'chosen by the rules' : source.spaces.join(', ')],
          ['tags', source.tags.join(', ')],
          ['configured', <Time key="at" at={source.updatedAt} />],
          ['by', source.createdBy],
        ]}
      />
      <Dialog handle={edit} title={`Change ${id}`}>
        <SourceForm source={source} onDone={() => edit.current?.close()} />
      </Dialog>
      <Dialog handle={remove} title={`Remove ${id}`}>
        <RemoveSource source={source} onDone={() => remove.current?.close()} />
      </Dialog>
    </Panel>
  );
}

const runCounts = ['new', 'changed', 'unchanged', 'removed', 'failed'] as const;

function runText(run: NonNullable<Source['lastRun']>): string {
  const parts = runCounts
    .filter((name) => run[name] > 0)
    .map((name) => `${run[name].toLocaleString()} ${name}`);
  return `${run.found.toLocaleString()} listed${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`;
}
