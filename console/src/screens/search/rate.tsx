import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../app/asks.ts';
import { useSession } from '../../app/session.tsx';
import { useChange } from '../../app/use-ask.ts';
import { Trouble } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';

type Kind = 'helpful' | 'irrelevant' | 'outdated' | 'inaccurate' | 'duplicate';

/** What each rating says. The first two speak of this question, the others of the memory itself. */
const kinds: readonly (readonly [Kind, string])[] = [
  ['helpful', 'It helped with this question'],
  ['irrelevant', 'It has nothing to do with this question'],
  ['outdated', 'It was true once'],
  ['inaccurate', 'It is wrong'],
  ['duplicate', 'Another memory says the same'],
];

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
        {kinds
          .filter(([kind]) => searchId !== undefined || (kind !== 'helpful' && kind !== 'irrelevant'))
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
