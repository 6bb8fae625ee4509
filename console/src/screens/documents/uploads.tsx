import { useRef, useState } from 'preact/hooks';
import { layers, type Layer } from '../../app/vocabulary.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, Field, Select } from '../../ui/field.tsx';
import { Panel } from '../../ui/page.tsx';
import { scopeKeysOf, type ScopeKey } from '../layers/scopes.ts';
import { listOf } from './document-facts.ts';
import { FileDrop } from './file-drop.tsx';
import { UploadItem, type UploadTarget } from './upload-item.tsx';

/** How many files are sent at a time. */
const atOnce = 2;

interface Upload {
  readonly key: number;
  readonly file: File;
  readonly target: UploadTarget;
}

/** Stores files as documents, and shows what becomes of each. */
export function Uploads() {
  const [layer, setLayer] = useState<Layer>('user');
  const [scope, setScope] = useState<Readonly<Partial<Record<ScopeKey, string>>>>({});
  const [spaces, setSpaces] = useState('');
  const [replaces, setReplaces] = useState(true);
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const [sent, setSent] = useState<ReadonlySet<number>>(new Set());
  const next = useRef(0);
  const keys = scopeKeysOf(layer);
  const isComplete = keys.every((key) => key === 'user' || Boolean(scope[key]));
  const add = (files: readonly File[]) => {
    const named = keys.flatMap((key) => (scope[key] ? [[key, scope[key]]] : []));
    const target: UploadTarget = {
      layer,
      scope: Object.fromEntries(named),
      spaces: listOf(spaces),
      replaces,
    };
    const added = files.map((file) => ({ key: next.current++, file, target }));
    setUploads((before) => [...before, ...added]);
  };
  const waiting = uploads.filter(({ key }) => !sent.has(key)).map(({ key }) => key);
  return (
    <Panel title="Store files">
      <div class="filters">
        <Select
          label="Layer"
          value={layer}
          onValue={(value) => setLayer(layers.find((one) => one === value)!)}
          choices={layers.map((name) => [name, name] as const)}
        />
        {keys.map((key) => (
          <Field
            key={key}
            label={key === 'user' ? 'user (you, if empty)' : key}
            value={scope[key] ?? ''}
            onValue={(value) => setScope((before) => ({ ...before, [key]: value }))}
            pauseMs={100}
          />
        ))}
        <Field
          label="Spaces, with commas (empty: chosen by the rules)"
          value={spaces}
          onValue={setSpaces}
          pauseMs={100}
        />
        <Checkbox
          label="A file of the same name becomes the next revision"
          isChecked={replaces}
          onChange={setReplaces}
        />
      </div>
      {isComplete ? (
        <FileDrop onFiles={add} isMany />
      ) : (
        <p class="muted">Name the {layer} that the files belong to; then they can be dropped here.</p>
      )}
      {uploads.length > 0 && (
        <>
          <ul class="uploads" aria-label="Files that were sent">
            {uploads.map(({ key, file, target }) => (
              <UploadItem
                key={key}
                file={file}
                target={target}
                isTurn={sent.has(key) || waiting.indexOf(key) < atOnce}
                onSent={() => setSent((before) => new Set(before).add(key))}
              />
            ))}
          </ul>
          {waiting.length === 0 && (
            <div>
              <Button kind="quiet" onClick={() => setUploads([])}>
                Clear this list
              </Button>
            </div>
          )}
        </>
      )}
    </Panel>
  );
}
