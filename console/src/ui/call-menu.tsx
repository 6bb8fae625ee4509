import { useEffect, useRef, useState } from 'preact/hooks';
import type { Ask } from '../app/asks.ts';
import { copiedCall, type CopiedCall } from '../app/copied-calls.ts';
import { useNotedCalls } from '../app/noted-calls.tsx';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { Dialog, type DialogHandle } from './dialog.tsx';

const forms = [
  ['curl', 'curl'],
  ['code', 'Client code'],
  ['mcp', 'MCP call'],
] as const;

/** Offers the calls of the view as curl, client code and MCP calls. */
export function CallMenu() {
  const calls = useNotedCalls();
  const dialog = useRef<DialogHandle>(null);
  if (calls.length === 0) return null;
  return (
    <>
      <Button kind="quiet" onClick={() => dialog.current?.show()}>
        Copy as call
      </Button>
      <Dialog handle={dialog} title="The calls of this view">
        {calls.map((call) => (
          <OneCall key={JSON.stringify(call)} call={call} />
        ))}
      </Dialog>
    </>
  );
}

function OneCall({ call }: { readonly call: Ask }) {
  const [copied, setCopied] = useState<CopiedCall>();
  useEffect(() => void copiedCall(call, location.origin).then(setCopied), [JSON.stringify(call)]);
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
