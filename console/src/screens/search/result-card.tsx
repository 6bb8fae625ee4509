import type { ComponentChildren } from 'preact';
import type { SearchResult } from '@stratalog/client';
import { Link } from '../../app/address.tsx';
import { Badge } from '../../ui/badge.tsx';
import { LongText } from '../../ui/long-text.tsx';
import { Time } from '../../ui/time.tsx';
import type { Tone } from '../../ui/tone.ts';
import type { Move } from './compare.ts';
import { Rate } from './rate.tsx';

interface ResultCardProps {
  readonly result: SearchResult;
  readonly searchId: string | undefined;
  /** Where it stands in the other answer; undefined if none is compared. */
  readonly move: Move | undefined;
  /** Why the other answer left it out, if it did and says so. */
  readonly leftOutThere: string | undefined;
  /** The parts of its score. */
  readonly children: ComponentChildren;
}

const movedWords: Readonly<Record<NonNullable<SearchResult['moved']>, string>> = {
  newer: 'ahead because it is newer',
  supersedes: 'ahead because it supersedes',
  'more-specific': 'ahead because its layer is more specific',
  'named-scope': 'ahead because the question names its place',
};

/** One result: its text and source, why it stands here, and a way to rate it. */
export function ResultCard({ result, searchId, move, leftOutThere, children }: ResultCardProps) {
  const { memory, rank, score, relevance, moved, supersededBy, truncated } = result;
  return (
    <li class={`result ${move?.kind ?? ''}`}>
      <div class="result-head">
        <span class="result-rank">{rank}</span>
        <Badge tone="accent">score {score.toFixed(3)}</Badge>
        <Badge>relevance {relevance.toFixed(3)}</Badge>
        <Badge>{memory.layer}</Badge>
        {memory.spaces.map((space) => (
          <Badge key={space}>{space}</Badge>
        ))}
        {move && <MoveBadge move={move} />}
        {moved && <Badge tone="warn">{movedWords[moved]}</Badge>}
        {supersededBy !== undefined && (
          <Link to={`/memories/${supersededBy}`}>
            <Badge tone="warn">superseded</Badge>
          </Link>
        )}
        {memory.trust.flags.map((flag) => (
          <Badge key={flag} tone="warn">
            {flag}
          </Badge>
        ))}
      </div>
      {leftOutThere !== undefined && <p>Not in the other answer: {leftOutThere}.</p>}
      <LongText text={memory.content} />
      <p class="muted">
        <Link to={`/memories/${memory.id}`}>{citationOf(result)}</Link>
        {truncated && ', the passage that matched'} · <Time at={memory.occurredAt ?? memory.createdAt} /> ·{' '}
        {memory.createdBy}
      </p>
      {children}
      <Rate memoryId={memory.id} searchId={searchId} />
    </li>
  );
}

const moveWords: Readonly<Record<Move['kind'], readonly [string, Tone]>> = {
  same: ['same place', 'plain'],
  only: ['only here', 'good'],
  up: ['higher by', 'good'],
  down: ['lower by', 'warn'],
};

function MoveBadge({ move }: { readonly move: Move }) {
  const [word, tone] = moveWords[move.kind];
  return (
    <Badge tone={tone}>
      {word} {'by' in move && move.by}
    </Badge>
  );
}

/** Where the text came from, as a person would cite it. */
function citationOf({ memory: { source, externalId, id } }: SearchResult): string {
  if (!source) return externalId ?? id;
  const { title, path = [], pages = [], uri } = source;
  const place = [title ?? uri ?? source.documentId, ...path].join(' › ');
  const [first, last] = pages;
  return first === undefined ? place : `${place}, page ${first}${last && last !== first ? `–${last}` : ''}`;
}
