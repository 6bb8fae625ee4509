import { useState } from 'preact/hooks';
import { Button } from './button.tsx';

/** Copies a text, and says so. */
export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [state, setState] = useState<'ready' | 'copied' | 'refused'>('ready');
  const copy = async () => {
    // Missing on pages without TLS from another machine.
    const done = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    setState(done ? 'copied' : 'refused');
    setTimeout(() => setState('ready'), 2_000);
  };
  const words = { ready: label, copied: 'Copied', refused: 'Select the text to copy it' };
  return (
    <Button kind="quiet" onClick={() => void copy()}>
      <span aria-live="polite">{words[state]}</span>
    </Button>
  );
}
