import { useState } from 'preact/hooks';
import { Link, useAddress } from '../../app/address.tsx';
import { useChange } from '../../app/use-ask.ts';
import { useSession } from '../../app/session.tsx';
import { Trouble } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Select } from '../../ui/field.tsx';
import { Panel } from '../../ui/page.tsx';
import { connections } from './connections.ts';

/** How to begin: store a memory, connect an agent, bring documents, and search. */
export function Begin() {
  return (
    <div class="grid">
      <StoreFirst />
      <Connect />
      <Panel title="Bring documents">
        <p>
          Files, feeds and pages become memories that cite their section: Markdown, PDF, Word, e-mail, code
          and more.
        </p>
        <p>
          <Link to="/documents">Upload a file</Link>, or from a terminal:{' '}
          <code>npx stratalog ingest FOLDER</code>
        </p>
      </Panel>
    </div>
  );
}

function StoreFirst() {
  const { open } = useAddress();
  const { serve, servedUser } = useSession();
  const lacksUser = serve !== undefined && servedUser === undefined;
  const store = useChange('memories.store');
  const [content, setContent] = useState('');
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const stored = await store.run([{ content }]);
    if (stored) open(`/memories/${stored.memory.id}`);
  };
  return (
    <Panel title="Store a memory">
      <form class="form" onSubmit={(event) => void submit(event)}>
        <label for="first-memory">Text to remember</label>
        <textarea
          id="first-memory"
          rows={3}
          value={content}
          placeholder="Mia is allergic to peanuts"
          onInput={({ currentTarget }) => setContent(currentTarget.value)}
        />
        {lacksUser && <p class="muted">Say at the top for which user it is stored.</p>}
        {store.error && <Trouble error={store.error} />}
        <Button kind="primary" type="submit" disabled={content.trim() === '' || lacksUser || store.isRunning}>
          {store.isRunning ? 'Storing…' : 'Store it'}
        </Button>
      </form>
    </Panel>
  );
}

function Connect() {
  const { signOut } = useSession();
  const all = connections(location.origin, signOut !== undefined);
  const [name, setName] = useState(all[0]!.name);
  const chosen = all.find((one) => one.name === name) ?? all[0]!;
  return (
    <Panel title="Connect an agent" actions={<CopyButton text={chosen.text} />}>
      <Select
        label="How it connects"
        value={name}
        onValue={setName}
        choices={all.map((one) => [one.name, one.name] as const)}
      />
      <pre tabIndex={0}>{chosen.text}</pre>
      {signOut && <p class="muted">Put an API key in place of $STRATALOG_API_KEY.</p>}
    </Panel>
  );
}
