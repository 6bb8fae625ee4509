import type { ComponentChildren } from 'preact';
import type { ArgumentsOf, AskName } from '../app/asks.ts';
import { useChange } from '../app/use-ask.ts';
import { Trouble } from './answer.tsx';
import { Button } from './button.tsx';
import { DialogButton } from './dialog-button.tsx';

interface ConfirmProps<Name extends AskName> {
  /** The method of the client that is called after the person has confirmed. */
  readonly name: Name;
  readonly args: ArgumentsOf<Name>;
  /** The words on the button, and on the one that confirms. */
  readonly label: string;
  readonly title: string;
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger' | undefined;
  readonly disabled?: boolean | undefined;
  /** What follows from it. */
  readonly children: ComponentChildren;
}

/** A button for a command that should not happen by accident: it says what follows, and calls the API when that is confirmed. */
export function Confirm<Name extends AskName>({
  label,
  title,
  kind,
  disabled,
  ...others
}: ConfirmProps<Name>) {
  return (
    <DialogButton label={label} title={title} kind={kind} disabled={disabled}>
      {(close) => <Consequence {...others} label={label} kind={kind} onDone={close} />}
    </DialogButton>
  );
}

function Consequence<Name extends AskName>({
  name,
  args,
  label,
  kind,
  children,
  onDone,
}: Omit<ConfirmProps<Name>, 'title' | 'disabled'> & { readonly onDone: () => void }) {
  const change = useChange(name);
  const confirm = async () => {
    if ((await change.run(args)) !== undefined) onDone();
  };
  return (
    <div class="form">
      <div>{children}</div>
      {change.error && <Trouble error={change.error} />}
      <div class="form-actions">
        <Button
          kind={kind === 'danger' ? 'danger' : 'primary'}
          disabled={change.isRunning}
          onClick={() => void confirm()}
        >
          {label}
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </div>
  );
}
