import { useState } from 'preact/hooks';
import { Link } from '../../app/address.tsx';
import { Badge } from '../../ui/badge.tsx';
import { rounded } from '../../ui/rounded.ts';
import { Button } from '../../ui/button.tsx';
import { LongText } from '../../ui/long-text.tsx';
import { Facts } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import type { Tone } from '../../ui/tone.ts';
import { FoundMemories, PromptContent } from './prompt-content.tsx';
import type { Entry, SearchEntry } from './timeline.ts';

/** A turn, a search with its context, or the end of the session. */
export function TimelineEntry({ entry }: { readonly entry: Entry }) {
  switch (entry.kind) {
    case 'turn':
      return (
        <li>
          <div class="entry-head">
            <h2>{roleOf(entry.turn.metadata) ?? 'Turn'}</h2>
            <Time at={entry.at} />
            <Link to={`/memories/${entry.turn.id}`}>memory</Link>
          </div>
          <LongText text={entry.turn.content} />
        </li>
      );
    case 'search':
      return <SearchItem entry={entry} />;
    case 'ended':
      return (
        <li class="ended">
          <div class="entry-head">
            <h2>Session ended</h2>
            <Time at={entry.at} />
            <span class="muted">by {entry.actor}</span>
          </div>
        </li>
      );
  }
}

/** Who spoke, where the conversation was recorded with roles. */
function roleOf(metadata: Readonly<Record<string, unknown>>): string | undefined {
  const { name, role } = metadata;
  return [name, role].find((value) => typeof value === 'string');
}

function SearchItem({ entry }: { readonly entry: SearchEntry }) {
  const { search, context, modelCalls, feedback, tokens, reward } = entry;
  const [isOpen, setOpen] = useState(false);
  const { searchId, query, route, durationMs, results, warnings } = search.data;
  const used = entry.outcomes.findLast(({ data }) => data.kind === 'used')?.data.memoryIds ?? [];
  return (
    <li class="search">
      <div class="entry-head">
        <h2 dir="auto">{query ?? 'Question no longer readable'}</h2>
        <Badge tone="accent">{context ? 'context' : 'search'}</Badge>
        <Helped entry={entry} />
        <Time at={entry.at} />
        <span class="muted">{search.onBehalfOf ?? search.actor}</span>
      </div>
      <Facts
        facts={[
          ['Found', `${results.length} by the ${route} route in ${Math.round(durationMs)} ms`],
          [
            'In the prompt',
            context &&
              `${context.data.items.length + (context.data.blocks?.length ?? 0)} items, ${context.data.tokenCount.toLocaleString()} of ${context.data.tokenBudget.toLocaleString()} tokens`,
          ],
          ['Tokens spent', tokens.toLocaleString()],
          ['Language models', modelCalls.map(modelCallInWords).join('; ')],
          ['Warnings', warnings.join(', ')],
          ['Outcomes', entry.outcomes.map(({ data }) => outcomeInWords(data)).join('; ')],
          [
            'Feedback',
            feedback.map(({ data }) => `${data.kind}${data.note ? ` (“${data.note}”)` : ''}`).join('; '),
          ],
          ['Reward', reward === undefined ? undefined : rounded(reward)],
        ]}
      />
      <div class="badges">
        <Button onClick={() => setOpen(!isOpen)} aria-expanded={isOpen}>
          {isOpen ? 'Hide' : context ? 'Show what entered the prompt' : 'Show what was found'}
        </Button>
        <Link to="/search" values={{ search: searchId }}>
          Why these results
        </Link>
      </div>
      {isOpen &&
        (context ? (
          <PromptContent context={context} used={used} />
        ) : (
          <FoundMemories search={search} used={used} />
        ))}
    </li>
  );
}

const outcomeWords: Readonly<Record<SearchEntry['outcome']['kind'], readonly [string, Tone]>> = {
  used: ['used', 'good'],
  refined: ['asked again', 'warn'],
  ignored: ['ignored', 'warn'],
  none: ['no outcome yet', 'plain'],
};

function Helped({ entry: { outcome } }: { readonly entry: SearchEntry }) {
  const [word, tone] = outcomeWords[outcome.kind];
  const quality = outcome.quality === undefined ? '' : `, quality ${rounded(outcome.quality)}`;
  return (
    <Badge tone={tone}>
      {word}
      {quality}
      {outcome.kind !== 'none' && !outcome.explicit && ' (inferred)'}
    </Badge>
  );
}

const sources: Readonly<Record<SearchEntry['outcomes'][number]['data']['source'], string>> = {
  caller: 'reported by the caller',
  feedback: 'from feedback',
  context: 'put into a context',
  refinement: 'the session asked something similar again',
  'session-end': 'the session ended',
  window: 'nothing followed',
};

function outcomeInWords({ kind, source, memoryIds }: SearchEntry['outcomes'][number]['data']): string {
  const count = kind === 'used' ? ` ${memoryIds.length}` : '';
  return `${kind}${count}: ${sources[source] ?? source}`;
}

function modelCallInWords(call: SearchEntry['modelCalls'][number]): string {
  const { model, purpose, inputTokens, outputTokens, outcome } = call;
  return `${model} for ${purpose}: ${inputTokens.toLocaleString()} in, ${outputTokens.toLocaleString()} out, ${outcome}`;
}
