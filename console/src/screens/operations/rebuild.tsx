import { useState } from 'preact/hooks';
import { useAsk, useChange } from '../../app/use-ask.ts';
import { Trouble } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';

/** Begins a rebuild, of vectors optionally with another embedding model. */
export function Rebuild({ name, onDone }: { readonly name: string; readonly onDone: () => void }) {
  const isVectors = name === 'vectors';
  const models = useAsk('models', [], { enabled: isVectors });
  const change = useChange('admin.projections.rebuild');
  const [embedder, setEmbedder] = useState('');
  const begin = async () => {
    if (await change.run([name, embedder === '' ? {} : { embedder }])) onDone();
  };
  return (
    <div class="form">
      <p>
        A new generation of <strong>{name}</strong> is built from the whole log, beside the live one. Queries
        are not affected until you switch to it. On a large log this takes a while and uses the processor.
      </p>
      {isVectors && (
        <Select
          label="Embedding model"
          value={embedder}
          onValue={setEmbedder}
          choices={[
            ['', 'the one in use'],
            ...(models.answer?.items ?? [])
              .filter(({ kind }) => kind === 'embedding')
              .map(({ id, local, provider }) => [id, local ? id : `${id} (${provider})`] as const),
          ]}
        />
      )}
      {isVectors && embedder !== '' && (
        <p class="muted">
          Every memory is embedded again. A model of an endpoint is sent all texts, and may cost money.
        </p>
      )}
      {change.error && <Trouble error={change.error} />}
      <div class="form-actions">
        <Button kind="primary" disabled={change.isRunning} onClick={() => void begin()}>
          Begin the rebuild
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </div>
  );
}
