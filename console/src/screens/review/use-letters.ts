import { useEffect, useRef } from 'preact/hooks';

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.closest('input:not([type=checkbox], [type=radio]), textarea, select, dialog') !== null;

/** Runs what a letter stands for, except while somebody types, and after `g`, which opens another screen. */
export function useLetters(
  actions: Readonly<Record<string, (() => void) | undefined>>,
  isEnabled: boolean,
): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    if (!isEnabled) return undefined;
    let isGoing = false;
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const action = isGoing ? undefined : latest.current[event.key];
      isGoing = event.key === 'g';
      if (!action) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [isEnabled]);
}
