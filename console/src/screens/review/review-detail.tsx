import type { Review, StoredMemory } from '@stratalog/client';
import { useId, useMemo } from 'preact/hooks';
import { Link } from '../../app/address.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Panel } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { diffWords } from '../../ui/word-diff.ts';
import { candidatesOf, choicesOf, kindMeaning, type Choice } from './decisions.ts';
import { MarkedText } from './marked-text.tsx';
import { sideOf, type Segment } from './segments.ts';
import type { Refusal } from './use-decisions.ts';

interface ReviewDetailProps {
  readonly review: Review;
  /** The memory that the decision is about, beside the one that is reviewed. */
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
  readonly refusal: Refusal | undefined;
  readonly mayDecide: boolean;
  readonly isRunning: boolean;
  readonly onDecide: (choice: Choice) => void;
}

/** A review: the memory with the like ones beside it, what differs between them, and what can be decided. */
export function ReviewDetail({
  review,
  chosen,
  onChoose,
  refusal,
  mayDecide,
  isRunning,
  onDecide,
}: ReviewDetailProps) {
  const { memory, kind } = review;
  const candidates = candidatesOf(review);
  // Of duplicates the reviewed memory itself can be the one that stays; it is compared with the first of the others.
  const compared =
    candidates.find((one) => one.memory.id === chosen && chosen !== memory.id) ?? candidates[0];
  const parts = useMemo(
    () => (compared ? diffWords(memory.content, compared.memory.content) : undefined),
    [memory.content, compared?.memory.content],
  );
  const group = useId();
  const isCluster = kind === 'duplicate';
  const radio = (id: string, isChecked: boolean) => ({
    name: group,
    isChecked,
    label: isCluster ? 'This one stays' : 'Compare with this one',
    onChoose: () => onChoose(id),
  });
  return (
    <Panel title={`This memory ${kindMeaning(kind)}`}>
      {refusal && (
        <div class="problem" role="alert">
          <p>
            Refused: {refusal.detail} ({refusal.code})
          </p>
        </div>
      )}
      {mayDecide && (
        <ul class="choices">
          {choicesOf(review).map((choice) => (
            <li key={choice.decision}>
              <Button
                kind={choice.decision === 'reject' ? 'danger' : 'plain'}
                disabled={isRunning}
                onClick={() => onDecide(choice)}
              >
                {choice.name} <kbd>{choice.letter}</kbd>
              </Button>
              <span class="muted">{choice.consequence}</span>
            </li>
          ))}
        </ul>
      )}
      <div class="beside">
        <MemoryCard
          memory={memory}
          title={isCluster ? 'the first' : 'for review'}
          segments={parts && sideOf(parts, 'before')}
          {...(isCluster && { choice: radio(memory.id, chosen === undefined || chosen === memory.id) })}
        />
        {candidates.map((one) => (
          <MemoryCard
            key={one.memory.id}
            memory={one.memory}
            title={one.relation}
            segments={parts && one === compared ? sideOf(parts, 'after') : undefined}
            choice={radio(one.memory.id, isCluster ? one.memory.id === chosen : one === compared)}
          />
        ))}
      </div>
      {candidates.length === 0 && <p class="muted">No other memory of its place is like it.</p>}
    </Panel>
  );
}

interface MemoryCardProps {
  readonly memory: StoredMemory;
  readonly title: string;
  readonly segments: readonly Segment[] | undefined;
  readonly choice?: {
    readonly name: string;
    readonly isChecked: boolean;
    readonly label: string;
    readonly onChoose: () => void;
  };
}

/** A memory of a review, with what speaks for and against it. */
function MemoryCard({ memory, title, segments, choice }: MemoryCardProps) {
  const { trust, feedback } = memory;
  const outdated = feedback.outdated + feedback.inaccurate;
  return (
    <article class="memory-card">
      <h3>
        {title} · <Link to={`/memories/${memory.id}`}>open</Link>
      </h3>
      <MarkedText segments={segments ?? [{ text: memory.content, differs: false }]} />
      <p class="badges muted">
        <Badge>{memory.layer}</Badge>
        {memory.spaces.map((space) => (
          <Badge key={space} tone="accent">
            {space}
          </Badge>
        ))}
        {trust.state !== 'trusted' && <Badge tone="warn">{trust.state}</Badge>}
        {trust.flags.map((flag) => (
          <Badge key={flag} tone="danger">
            {flag}
          </Badge>
        ))}
        {outdated > 0 && <Badge tone="warn">outdated or inaccurate: {outdated}</Badge>}
        {feedback.helpful > 0 && <Badge tone="good">helpful: {feedback.helpful}</Badge>}
      </p>
      <p class="muted">
        from {trust.source}, by {memory.createdBy}, <Time at={memory.createdAt} />, used{' '}
        {memory.accessCount.toLocaleString()} times
      </p>
      {choice && (
        <label class="check">
          <input type="radio" name={choice.name} checked={choice.isChecked} onChange={choice.onChoose} />
          {choice.label}
        </label>
      )}
    </article>
  );
}
