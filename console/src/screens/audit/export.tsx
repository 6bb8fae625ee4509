import type { AuditFilter } from '@stratalog/client';
import { useRef, useState } from 'preact/hooks';
import { useSession } from '../../app/session.tsx';
import { Trouble } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { DialogButton } from '../../ui/dialog-button.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { exportCommands } from './commands.ts';

/** Saves the filtered events as a file, or gives the command that does. */
export function Export({ filter }: { readonly filter: AuditFilter }) {
  return (
    <DialogButton label="Export" title="Export the filtered events">
      {() => <Exporting filter={filter} />}
    </DialogButton>
  );
}

function Exporting({ filter }: { readonly filter: AuditFilter }) {
  const { client } = useSession();
  const [isReading, setReading] = useState(false);
  const [error, setError] = useState<Error>();
  const stop = useRef<AbortController>();
  const { cli, curl } = exportCommands(filter, location.origin);
  const save = async (parts: AsyncIterable<string>, name: string, type: string) => {
    const pieces: string[] = [];
    setError(undefined);
    setReading(true);
    try {
      for await (const part of parts) pieces.push(part);
      saveFile(pieces, name, type);
    } catch (cause) {
      if (!stop.current?.signal.aborted) setError(cause as Error);
    }
    setReading(false);
  };
  const begin = (form: 'csv' | 'ndjson') => {
    stop.current = new AbortController();
    const options = { signal: stop.current.signal };
    if (form === 'csv') void save(client.audit.csv(filter, options), 'events.csv', 'text/csv');
    else void save(lines(client.audit.stream(filter, options)), 'events.ndjson', 'application/x-ndjson');
  };
  return (
    <div class="dialog-form">
      <p>
        All events that pass the filters, oldest first, with all their fields. The export is itself recorded.
      </p>
      <div class="commands">
        <Button onClick={() => begin('csv')} disabled={isReading}>
          Save as CSV
        </Button>
        <Button onClick={() => begin('ndjson')} disabled={isReading}>
          Save as NDJSON
        </Button>
        {isReading && (
          <>
            <Button kind="danger" onClick={() => stop.current?.abort()}>
              Stop
            </Button>
            <span role="status">Reading…</span>
          </>
        )}
      </div>
      {error && <Trouble error={error} />}
      <p>For millions of events, use a command, which writes them to a file as they arrive:</p>
      {[cli, curl].map((command) => (
        <figure key={command}>
          <pre tabIndex={0}>{command}</pre>
          <CopyButton text={command} />
        </figure>
      ))}
    </div>
  );
}

async function* lines(events: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const event of events) yield `${JSON.stringify(event)}\n`;
}
