import type { ComponentChildren, Ref } from 'preact';
import { useId, useImperativeHandle, useRef, useState } from 'preact/hooks';
import { Button } from './button.tsx';

export interface DialogHandle {
  show(): void;
  close(): void;
}

interface DialogProps {
  readonly handle: Ref<DialogHandle>;
  readonly title: string;
  readonly children: ComponentChildren;
}

/** A modal dialog. Its content exists only while it is open; Escape closes it. */
export function Dialog({ handle, title, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  const heading = useId();
  useImperativeHandle(handle, () => ({
    show() {
      setOpen(true);
      element.current?.showModal();
    },
    close: () => element.current?.close(),
  }));
  return (
    <dialog ref={element} aria-labelledby={heading} onClose={() => setOpen(false)}>
      <header>
        <h2 id={heading}>{title}</h2>
        <Button kind="quiet" onClick={() => element.current?.close()}>
          Close
        </Button>
      </header>
      {isOpen && children}
    </dialog>
  );
}
