import { useState } from 'preact/hooks';
import { useChange } from '../../app/use-ask.ts';
import type { Layer } from '../../app/vocabulary.ts';
import { Trouble } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Panel } from '../../ui/page.tsx';
import { scopeKeysOf } from './scopes.ts';

/** Has the summaries of any scope of the layer made, such as one that has none yet. */
export function NewSummary({ layer, onAsked }: { readonly layer: Layer; readonly onAsked: () => void }) {
  const refresh = useChange('summaries.refresh');
  const [scope, setScope] = useState<Readonly<Record<string, string>>>({});
  const [isAsked, setAsked] = useState(false);
  const keys = scopeKeysOf(layer);
  const ask = async () => {
    setAsked(false);
    const named = Object.fromEntries(Object.entries(scope).filter(([, value]) => value !== ''));
    if (!(await refresh.run([{ layer, scope: named }]))) return;
    setAsked(true);
    onAsked();
  };
  return (
    <Panel title={`Summarise a scope of the layer ${layer}`}>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          void ask();
        }}
      >
        {keys.map((key) => (
          <Field
            key={key}
            label={key === 'user' && layer !== 'user' ? 'user (you, if empty)' : key}
            value={scope[key] ?? ''}
            onValue={(value) => setScope((before) => ({ ...before, [key]: value }))}
            pauseMs={200}
          />
        ))}
        <Button
          type="submit"
          disabled={refresh.isRunning || keys.some((key) => key === layer && !scope[key])}
        >
          Make the summaries
        </Button>
      </form>
      {refresh.error && <Trouble error={refresh.error} />}
      {isAsked && (
        <p role="status" class="muted">
          The summaries are being made and appear here shortly, if the scope has memories.
        </p>
      )}
    </Panel>
  );
}
