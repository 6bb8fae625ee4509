import { useEffect, useState } from 'preact/hooks';
import type { Ask } from '../app/asks.ts';
import { copiedCall, type CopiedCall } from '../app/copied-calls.ts';
import { useNotedCalls } from '../app/noted-calls.tsx';
import { useSession } from '../app/session.tsx';
import { CopyButton } from './copy-button.tsx';
import { DialogButton } from './dialog-button.tsx';

const forms = [
  ['curl', 'curl'],
  ['code', 'Client code'],
  ['mcp', 'MCP call'],
] as const;

/** Offers the calls of the view as curl, client code and MCP calls. */
export function CallMenu() {
  const calls = useNotedCalls();
  if (calls.length === 0) return null;
  // Several parts of a view may make the same call.
  const distinct = new Map(calls.map((call) => [JSON.stringify(call), call]));
  return (
    <DialogButton label="Copy as call" title="The calls of this view" kind="quiet">
      {() => [...distinct].map(([key, call]) => <OneCall key={key} call={call} />)}
    </DialogButton>
  );
}

function OneCall({ call }: { readonly call: Ask }) {
  const { servedUser } = useSession();
  const [copied, setCopied] = useState<CopiedCall>();
  useEffect(
    () => void copiedCall(call, location.origin, servedUser).then(setCopied),
    [JSON.stringify(call), servedUser],
  );
  if (!copied) return null;
  return (
    <section class="copied-call">
      <h3>
        <code>{call.name}</code>
      </h3>
      {forms.map(([form, name]) => {
        const text = copied[form];
        return text === undefined ? null : (
          <figure key={form}>
            <figcaption>
              {name} <CopyButton text={text} />
            </figcaption>
            <pre tabIndex={0}>{text}</pre>
          </figure>
        );
      })}
    </section>
  );
}
