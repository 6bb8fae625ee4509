import { useState } from 'preact/hooks';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Panel } from '../../ui/page.tsx';
import { parseVerifierKey } from './note.ts';
import type { KeptKey } from './use-verifier-key.ts';

/** The key that everything here is verified with, and where it comes from. */
export function KeyPanel({
  kept,
  offered,
}: {
  readonly kept: KeptKey;
  readonly offered: string | undefined;
}) {
  const [typed, setTyped] = useState('');
  const [mistake, setMistake] = useState('');
  const { key, keep } = kept;
  const use = async () => {
    try {
      await parseVerifierKey(typed);
    } catch (error) {
      return setMistake((error as Error).message);
    }
    keep(typed.trim());
    setTyped('');
    setMistake('');
  };
  const differs = key !== undefined && offered !== undefined && key !== offered;
  return (
    <Panel
      title="The verifier key"
      note={key === undefined ? 'offered by the server' : 'kept in this browser'}
    >
      {(key ?? offered) !== undefined && (
        <p class="break">
          <code>{key ?? offered}</code> <CopyButton text={(key ?? offered)!} />
        </p>
      )}
      {key === undefined && (
        <p>
          <Badge tone="warn">the server's word</Badge> Whoever runs the server could exchange its key together
          with the log. Ask the operator for the key another way, compare, and keep it here; from then on
          every verification uses yours.
        </p>
      )}
      {differs && (
        <p class="problem" role="alert">
          The server offers another key now: <code>{offered}</code>. It may have been exchanged by the
          operator (docs/guides/audit.md, “The key”): ask, before you trust it.
        </p>
      )}
      <form
        class="commands"
        onSubmit={(event) => {
          event.preventDefault();
          void use();
        }}
      >
        <label class="wide-label">
          Your key
          <input
            value={typed}
            placeholder="stratalog/…+ab12cd34+A…"
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </label>
        <Button type="submit" disabled={typed.trim() === ''}>
          Use it
        </Button>
        {key === undefined && offered !== undefined && (
          <Button onClick={() => keep(offered)}>I have compared it: keep it</Button>
        )}
        {key !== undefined && <Button onClick={() => keep(undefined)}>Forget it</Button>}
      </form>
      {mistake !== '' && (
        <p class="problem" role="alert">
          {mistake}
        </p>
      )}
    </Panel>
  );
}
