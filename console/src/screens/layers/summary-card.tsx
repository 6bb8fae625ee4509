import type { Summary } from '@stratalog/client';
import { Link } from '../../app/address.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Facts } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { piecesOf } from './citations.ts';

const staleWords: Readonly<Record<NonNullable<Summary['freshness']['reason']>, string>> = {
  erased: 'a source was erased',
  deleted: 'a source was deleted',
  replaced: 'a source was replaced',
  changed: 'memories of the scope have changed',
  age: 'older than the settings allow',
};

const triggerWords: Readonly<Record<Summary['trigger'], string>> = {
  refresh: 'somebody asked for it',
  context: 'a context needed it',
  changes: 'enough memories had changed',
  interval: 'its time had come',
  invalidated: 'a source was no longer valid',
};

/** A summary in one depth: its text, how fresh it is, and the memories that it comes from. */
export function SummaryCard({ summary }: { readonly summary: Summary }) {
  const { freshness, sources, content, model, fallback, tokenCount } = summary;
  return (
    <article class="summary-card">
      <h3 class="badges">
        {summary.depth}
        {freshness.stale ? (
          <Badge tone="warn">
            stale{freshness.reason === undefined ? '' : `: ${staleWords[freshness.reason]}`}
          </Badge>
        ) : (
          <Badge tone="good">fresh</Badge>
        )}
        {summary.personalized && (
          <Badge tone="accent">for {summary.personalization?.user ?? 'one user'}</Badge>
        )}
      </h3>
      <div class="long-text">
        <p dir="auto">
          {piecesOf(content, sources.length).map((piece, index) =>
            'text' in piece ? (
              piece.text
            ) : (
              <Link
                key={index}
                to={`/memories/${sources[piece.mark - 1]!.id}`}
                aria-label={`Source ${piece.mark}`}
              >
                [{piece.mark}]
              </Link>
            ),
          )}
        </p>
      </div>
      <Facts
        facts={[
          ['made', <Time key="made" at={summary.generatedAt} />],
          ['because', triggerWords[summary.trigger]],
          ['by', model === 'extractive-1' ? 'sentences of its sources, verbatim' : model],
          ['no model, because', fallback],
          ['tokens', tokenCount.toLocaleString()],
          [
            'sources',
            sources.length === 0 ? undefined : (
              <details key="sources">
                <summary>{sources.length.toLocaleString()} memories</summary>
                <ol>
                  {sources.map(({ id, revision }) => (
                    <li key={id}>
                      <Link to={`/memories/${id}`}>{id}</Link> <span class="muted">revision {revision}</span>
                    </li>
                  ))}
                </ol>
              </details>
            ),
          ],
        ]}
      />
    </article>
  );
}
