import type { Feedback } from '@stratalog/client';
import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../app/asks.ts';
import { useSession } from '../../app/session.tsx';
import { useChange } from '../../app/use-ask.ts';
import { Trouble } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { feedbackKinds, needsSearch } from '../memory/feedback-kinds.ts';

type Kind = Feedback['kind'];

interface RateProps {
  readonly memoryId: string;
  /** Undefined if the answer was not recorded as a search: then only the memory itself can be rated. */
  readonly searchId: string | undefined;
}

/** Rates a memory as the answer to a question. */
export function Rate({ memoryId, searchId }: RateProps) {
  const { may } = useSession();
  const feedback = useChange('memories.feedback');
  const [note, setNote] = useState('');
  const [given, setGiven] = useState<AnswerOf<'memories.feedback'> & { kind: Kind }>();
  if (!may('giveFeedback')) return null;
  const rate = async (kind: Kind) => {
    const answer = await feedback.run([
      memoryId,
      { kind, ...(searchId !== undefined && { searchId }), ...(note !== '' && { note }) },
    ]);
    if (answer) setGiven({ ...answer, kind });
  };
  return (
    <details>
      <summary>Rate it</summary>
      <div class="inline-form">
        {feedbackKinds
          .filter(([kind]) => searchId !== undefined || !needsSearch(kind))
          .map(([kind, meaning]) => (
            <Button
              key={kind}
              title={meaning}
              disabled={feedback.isRunning}
              aria-pressed={given?.kind === kind}
              onClick={() => void rate(kind)}
            >
              {kind}
            </Button>
          ))}
        <Field label="Note" value={note} onValue={setNote} />
      </div>
      {given && <p role="status">Recorded as {given.kind}. Search again to see what it changes.</p>}
      {feedback.error && <Trouble error={feedback.error} />}
    </details>
  );
}
