import { Fragment } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useAddress } from './address.tsx';
import { screensFor } from './screens.ts';
import { useSession } from './session.tsx';
import { Dialog, type DialogHandle } from '../ui/dialog.tsx';

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null;

/** Keyboard shortcuts for the whole console; `?` lists them. */
export function Shortcuts() {
  const { open } = useAddress();
  const { may } = useSession();
  const lettered = screensFor(may).filter(({ letter }) => letter !== undefined);
  const help = useRef<DialogHandle>(null);
  const isGoing = useRef(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const target = isGoing.current ? lettered.find(({ letter }) => letter === event.key) : undefined;
      isGoing.current = event.key === 'g';
      if (target) open(target.path);
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
  }, [open, may]);
  return (
    <Dialog handle={help} title="Keyboard shortcuts">
      <dl class="shortcuts">
        <dt>
          <kbd>/</kbd>
        </dt>
        <dd>Search field</dd>
        {lettered.map(({ letter, name }) => (
          <Fragment key={letter}>
            <dt>
              <kbd>g</kbd> <kbd>{letter}</kbd>
            </dt>
            <dd>{name}</dd>
          </Fragment>
        ))}
        <dt>
          <kbd>?</kbd>
        </dt>
        <dd>This list</dd>
      </dl>
    </Dialog>
  );
}
