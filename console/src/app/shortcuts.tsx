import { useEffect, useRef } from 'preact/hooks';
import { useAddress } from './address.tsx';
import { Dialog, type DialogHandle } from '../ui/dialog.tsx';

const letters: Readonly<Record<string, readonly [path: string, what: string]>> = {
  h: ['/', 'Home'],
  s: ['/search', 'Search lab'],
  m: ['/memories', 'Memories'],
  t: ['/time', 'Time machine'],
  r: ['/review', 'Review'],
  d: ['/documents', 'Documents'],
  a: ['/audit', 'Audit'],
  o: ['/operations', 'Operations'],
};

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null;

/** Keyboard shortcuts for the whole console; `?` lists them. */
export function Shortcuts() {
  const { open } = useAddress();
  const help = useRef<DialogHandle>(null);
  const isGoing = useRef(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const target = isGoing.current ? letters[event.key] : undefined;
      isGoing.current = event.key === 'g';
      if (target) open(target[0]);
      else if (event.key === '?') help.current?.show();
      else if (event.key === '/') {
        const field = document.querySelector<HTMLInputElement>('[data-search]');
        if (!field) return open('/search');
        event.preventDefault();
        field.focus();
      }
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [open]);
  return (
    <Dialog handle={help} title="Keyboard shortcuts">
      <dl class="shortcuts">
        <dt>
          <kbd>/</kbd>
        </dt>
        <dd>Search field</dd>
        {Object.entries(letters).map(([letter, [, what]]) => (
          <>
            <dt>
              <kbd>g</kbd> <kbd>{letter}</kbd>
            </dt>
            <dd>{what}</dd>
          </>
        ))}
        <dt>
          <kbd>?</kbd>
        </dt>
        <dd>This list</dd>
      </dl>
    </Dialog>
  );
}
