import type { ChangeOptions, Space } from '@stratalog/client';
import { useState } from 'preact/hooks';
import { useAddress } from '../../app/address.tsx';
import { useChange } from '../../app/use-ask.ts';
import { Trouble } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/field.tsx';

/** Removes the configuration of a space, after saying what follows. */
export function DeleteSpace({ space, onDone }: { readonly space: Space; readonly onDone: () => void }) {
  const { open } = useAddress();
  const change = useChange('spaces.delete');
  const [detaches, setDetaches] = useState(false);
  const { memories } = space.usage;
  const remove = async () => {
    const options: ChangeOptions & { readonly memories?: 'detach' } = {
      ifMatch: space.revision,
      ...(detaches && { memories: 'detach' }),
    };
    if (!(await change.run([space.id], options))) return;
    onDone();
    open('/spaces');
  };
  return (
    <div class="form">
      <p>
        The configuration of <strong>{space.id}</strong> is removed: its quota, budgets, retention, trust and
        all other rules no longer count. No memory is deleted.
      </p>
      {memories > 0 && (
        <>
          <p>
            {memories.toLocaleString()} active {memories === 1 ? 'memory has' : 'memories have'} the label of
            the space, and a space with memories is not removed.
          </p>
          <Checkbox
            label="Take the label off these memories. Searches in the space will not find them any more; this cannot be undone as a whole."
            isChecked={detaches}
            onChange={setDetaches}
          />
        </>
      )}
      {change.error && <Trouble error={change.error} />}
      <div class="form-actions">
        <Button
          kind="danger"
          disabled={change.isRunning || (memories > 0 && !detaches)}
          onClick={() => void remove()}
        >
          Remove the configuration
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </div>
  );
}
