import type { ChangeOptions, PutSource, Source } from '@stratalog/client';
import { useState } from 'preact/hooks';
import { useChange } from '../../app/use-ask.ts';
import { layers } from '../../app/vocabulary.ts';
import { Checkbox, Field, Select } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { scopeKeysOf, type ScopeKey } from '../layers/scopes.ts';
import { listOf } from './document-facts.ts';

const types: readonly (readonly [PutSource['type'], string])[] = [
  ['rss', 'feed (RSS or Atom)'],
  ['arxiv', 'feed of arXiv'],
  ['page', 'one page or file'],
  ['sitemap', 'pages of a sitemap'],
  ['directory', 'folder of the server'],
];

/** Fails if somebody else has configured the source meanwhile. */
const onlyNew: ChangeOptions & { readonly ifNoneMatch: '*' } = { ifNoneMatch: '*' };

interface SourceFormProps {
  /** Undefined for a new one. */
  readonly source?: Source;
  readonly onDone: () => void;
}

/** Configures a source. Type, layer and scope cannot be changed later. */
export function SourceForm({ source, onDone }: SourceFormProps) {
  const put = useChange('sources.put');
  const update = useChange('sources.update');
  // As it was when the form was opened: it may change under it.
  const [revision] = useState(source?.revision);
  const [id, setId] = useState('');
  const [type, setType] = useState(source?.type ?? 'rss');
  const [place, setPlace] = useState(source?.url ?? source?.path ?? '');
  const [schedule, setSchedule] = useState(source?.schedule ?? '@daily');
  const [layer, setLayer] = useState(source?.layer ?? 'company');
  const [scope, setScope] = useState<Readonly<Partial<Record<ScopeKey, string>>>>({});
  const [spaces, setSpaces] = useState(source?.spaces.join(', ') ?? '');
  const [tags, setTags] = useState(source?.tags.join(', ') ?? '');
  const [isEnabled, setEnabled] = useState(source?.enabled ?? true);
  const isFolder = type === 'directory';

  const save = async () => {
    const common = {
      ...(isFolder ? { path: place } : { url: place }),
      schedule,
      spaces: listOf(spaces),
      tags: listOf(tags),
      enabled: isEnabled,
    };
    const named = scopeKeysOf(layer).flatMap((key) => (scope[key] ? [[key, scope[key]]] : []));
    const done = source
      ? await update.run([source.id, common], { ifMatch: revision })
      : await put.run([id, { ...common, type, layer, scope: Object.fromEntries(named) }], onlyNew);
    if (done) onDone();
  };

  return (
    <Form
      onSave={() => void save()}
      saveLabel={source ? 'Save the changes' : 'Configure the source'}
      error={put.error ?? update.error}
      disabled={put.isRunning || update.isRunning || place === '' || (!source && id === '')}
      onCancel={onDone}
    >
      <div class="fields">
        {!source && (
          <>
            <Field label="Name" value={id} onValue={setId} pauseMs={100} />
            <Select
              label="Type"
              value={type}
              onValue={(value) => setType(types.find(([one]) => one === value)![0])}
              choices={types}
            />
          </>
        )}
        <Field
          label={isFolder ? 'Folder, below one of STRATALOG_INGEST_ROOTS' : 'Address, http or https'}
          value={place}
          onValue={setPlace}
          pauseMs={100}
        />
        <Field
          label="Schedule in UTC: @hourly, @daily … or cron"
          value={schedule}
          onValue={setSchedule}
          pauseMs={100}
        />
        {!source && (
          <>
            <Select
              label="Layer (cannot be changed later)"
              value={layer}
              onValue={(value) => setLayer(layers.find((one) => one === value)!)}
              choices={layers.map((one) => [one, one] as const)}
            />
            {scopeKeysOf(layer).map((key) => (
              <Field
                key={key}
                label={key}
                value={scope[key] ?? ''}
                onValue={(value) => setScope((before) => ({ ...before, [key]: value }))}
                pauseMs={100}
              />
            ))}
          </>
        )}
        <Field
          label="Spaces, with commas (empty: by the rules)"
          value={spaces}
          onValue={setSpaces}
          pauseMs={100}
        />
        <Field label="Tags, with commas" value={tags} onValue={setTags} pauseMs={100} />
      </div>
      <Checkbox label="Read on its schedule" isChecked={isEnabled} onChange={setEnabled} />
      {source && source.revision !== revision && (
        <p class="as-of" role="status">
          Somebody has changed the source meanwhile: close the form and open it again.
        </p>
      )}
    </Form>
  );
}
