import { useState } from 'preact/hooks';
import type { StoredMemory } from '@stratalog/client';
import { useSession } from '../../app/session.tsx';
import { useChange } from '../../app/use-ask.ts';
import { Trouble } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox, Field } from '../../ui/field.tsx';

interface ReportOutcomeProps {
  readonly searchId: string;
  readonly memories: readonly StoredMemory[];
}

/** Reports which results of a search were used, and how good they were. */
export function ReportOutcome({ searchId, memories }: ReportOutcomeProps) {
  const { may } = useSession();
  const outcome = useChange('outcome');
  const [used, setUsed] = useState<readonly string[]>([]);
  const [quality, setQuality] = useState('');
  const [isRefined, setRefined] = useState(false);
  const [isDone, setDone] = useState(false);
  if (!may('postOutcome')) return null;
  const toggle = (id: string) =>
    setUsed((before) => (before.includes(id) ? before.filter((one) => one !== id) : [...before, id]));
  const report = async () => {
    const answer = await outcome.run([
      searchId,
      {
        used: [...used],
        ...(used.length > 0 && quality !== '' && { quality: Number(quality) }),
        ...(isRefined && { refined: true }),
      },
    ]);
    setDone(answer !== undefined);
  };
  return (
    <details>
      <summary>Report what was used</summary>
      <fieldset class="results">
        <legend class="muted">Results that answered the question; none if nothing did</legend>
        {memories.map(({ id, content }) => (
          <Checkbox
            key={id}
            label={<span class="row-text">{content}</span>}
            isChecked={used.includes(id)}
            onChange={() => toggle(id)}
          />
        ))}
      </fieldset>
      <div class="inline-form">
        {used.length > 0 && (
          <Field label="Quality, 0 to 1" placeholder="1" value={quality} onValue={setQuality} />
        )}
        <Checkbox label="I had to ask again in other words" isChecked={isRefined} onChange={setRefined} />
        <Button disabled={outcome.isRunning} onClick={() => void report()}>
          {used.length === 0 ? 'Report: nothing was used' : `Report: ${used.length} used`}
        </Button>
      </div>
      {isDone && <p role="status">The outcome is recorded. A later one replaces it.</p>}
      {outcome.error && <Trouble error={outcome.error} />}
    </details>
  );
}
