import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { Button } from './button.tsx';
import { Dialog, type DialogHandle } from './dialog.tsx';

interface DialogButtonProps {
  readonly label: string;
  readonly title: string;
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger' | undefined;
  readonly disabled?: boolean | undefined;
  readonly children: (close: () => void) => ComponentChildren;
}

/** A button that opens a dialog. The dialog begins anew each time. */
export function DialogButton({ label, title, kind, disabled, children }: DialogButtonProps) {
  const dialog = useRef<DialogHandle>(null);
  return (
    <>
      <Button kind={kind ?? 'plain'} disabled={disabled} onClick={() => dialog.current?.show()}>
        {label}
      </Button>
      <Dialog handle={dialog} title={title}>
        {children(() => dialog.current?.close())}
      </Dialog>
    </>
  );
}
