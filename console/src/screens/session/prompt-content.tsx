import type { StoredMemory } from '@stratalog/client';
import { Link } from '../../app/address.tsx';
import { Loading } from '../../ui/answer.tsx';
import { Badge } from '../../ui/badge.tsx';
import { LongText } from '../../ui/long-text.tsx';
import { nameOf, useMemoryTexts } from '../search/memory-texts.ts';
import type { ContextData, EventWith, SearchData } from './events.ts';

interface PromptProps {
  readonly context: EventWith<ContextData>;
  /** Ids of the memories that were used. */
  readonly used: readonly string[];
}

/** What a context put into the prompt, item by item, in the words of that time. The text itself is not recorded: its parts and places are. */
export function PromptContent({ context: { at, data }, used }: PromptProps) {
  const { items, blocks = [], leftOut } = data;
  const texts = useMemoryTexts(
    items.map(({ memoryId }) => memoryId),
    at,
  );
  if (!texts) return <Loading what="what entered the prompt" />;
  const reasons = new Map<string, number>();
  for (const { reason } of leftOut) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  return (
    <>
      <ol class="prompt-items">
        {items.map(({ kind, memoryId, tokens, start, end }, index) => (
          <li key={index}>
            <div class="badges">
              <Badge>{kind}</Badge>
              <Badge>{tokens} tokens</Badge>
              {used.includes(memoryId) && <Badge tone="good">used</Badge>}
              <Source id={memoryId} memory={texts.get(memoryId)} />
            </div>
            <Quoted memory={texts.get(memoryId)} start={start} end={end} />
          </li>
        ))}
        {blocks.map(({ kind, layer, scope, depth, tokens, sources, stale }, index) => (
          <li key={`block-${index}`}>
            <div class="badges">
              <Badge tone="accent">{kind}</Badge>
              <Badge>{tokens} tokens</Badge>
              <span>
                of {layer} {Object.values(scope).at(-1)}
                {depth !== undefined && `, ${depth}`}, made from {sources.length} memories
              </span>
              {stale === true && <Badge tone="warn">stale</Badge>}
            </div>
          </li>
        ))}
      </ol>
      {items.length + blocks.length === 0 && <p class="muted">Nothing entered the prompt.</p>}
      {leftOut.length > 0 && (
        <p class="muted">
          Left out:{' '}
          {[...reasons].map(([reason, count]) => `${count} ${leftOutWords[reason] ?? reason}`).join(', ')}.
        </p>
      )}
    </>
  );
}

const leftOutWords: Readonly<Record<string, string>> = {
  budget: 'over the token budget',
  duplicate: 'duplicates of another',
  superseded: 'superseded by a newer one',
};

/** What a search found, in the words of that time. */
export function FoundMemories({
  search: { at, data },
  used,
}: {
  readonly search: EventWith<SearchData>;
  readonly used: readonly string[];
}) {
  const texts = useMemoryTexts(
    data.results.map(({ memoryId }) => memoryId),
    at,
  );
  if (data.results.length === 0) return <p class="muted">Nothing was found.</p>;
  if (!texts) return <Loading what="what was found" />;
  return (
    <ol class="prompt-items">
      {data.results.map(({ memoryId, score }) => (
        <li key={memoryId}>
          <div class="badges">
            {score !== undefined && <Badge>score {score.toFixed(2)}</Badge>}
            {used.includes(memoryId) && <Badge tone="good">used</Badge>}
            <Source id={memoryId} memory={texts.get(memoryId)} />
          </div>
          <Quoted memory={texts.get(memoryId)} start={undefined} end={undefined} />
        </li>
      ))}
    </ol>
  );
}

function Source({ id, memory }: { readonly id: string; readonly memory: StoredMemory | undefined }) {
  return <Link to={`/memories/${id}`}>{nameOf(memory) ?? (memory ? `${memory.layer} memory` : id)}</Link>;
}

interface QuotedProps {
  readonly memory: StoredMemory | undefined;
  readonly start: number | undefined;
  readonly end: number | undefined;
}

function Quoted({ memory, start, end }: QuotedProps) {
  if (!memory) return <p class="muted">Its text was erased, or you cannot see it.</p>;
  return <LongText text={memory.content.slice(start ?? 0, end)} />;
}
