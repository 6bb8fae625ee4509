import { useState } from 'preact/hooks';
import { useSession } from '../../app/session.tsx';
import { useChange } from '../../app/use-ask.ts';
import { Trouble } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Panel } from '../../ui/page.tsx';
import { scopeName, type SummarizedScope } from './scopes.ts';
import { SummaryCard } from './summary-card.tsx';

interface ScopeSummariesProps {
  readonly of: SummarizedScope;
  /** Whether the summaries are those of now, which can be made again. */
  readonly isPresent: boolean;
  /** Called when new summaries are on their way. */
  readonly onAsked: () => void;
}

/** The summaries of one scope in their depths. */
export function ScopeSummaries({ of, isPresent, onAsked }: ScopeSummariesProps) {
  const { may } = useSession();
  const refresh = useChange('summaries.refresh');
  const [askedAt, setAskedAt] = useState<string>();
  const { layer, scope, summaries } = of;
  const newest =
    summaries
      .map(({ generatedAt }) => generatedAt)
      .toSorted()
      .at(-1) ?? '';
  const isAwaited = askedAt !== undefined && newest === askedAt;
  const person = summaries[0]?.personalization;
  const ask = async () => {
    const answer = await refresh.run([
      {
        layer,
        scope,
        ...(person && { user: person.user, ...(person.session && { session: person.session }) }),
      },
    ]);
    if (!answer) return;
    setAskedAt(newest);
    onAsked();
  };
  return (
    <Panel
      title={scopeName(of)}
      note={layer}
      actions={
        isPresent &&
        may('refreshSummary') && (
          <Button disabled={refresh.isRunning || isAwaited} onClick={() => void ask()}>
            {isAwaited ? 'Being made…' : 'Make anew'}
          </Button>
        )
      }
    >
      {refresh.error && <Trouble error={refresh.error} />}
      <div class="summaries">
        {summaries.map((summary) => (
          <SummaryCard key={summary.depth} summary={summary} />
        ))}
      </div>
    </Panel>
  );
}
