import type { Source } from '@stratalog/client';
import { useChange } from '../../app/use-ask.ts';
import { Trouble } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';

/** Removes a source, after saying what follows. */
export function RemoveSource({ source, onDone }: { readonly source: Source; readonly onDone: () => void }) {
  const change = useChange('sources.delete');
  return (
    <div class="form">
      <p>
        <strong>{source.id}</strong> is not read any more. Its documents and their memories stay; they are no
        longer updated, and none is deleted when it disappears there.
      </p>
      {change.error && <Trouble error={change.error} />}
      <div class="form-actions">
        <Button
          kind="danger"
          disabled={change.isRunning}
          onClick={() =>
            void change.run([source.id], { ifMatch: source.revision }).then((done) => done && onDone())
          }
        >
          Remove the source
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </div>
  );
}
