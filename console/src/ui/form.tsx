import type { ComponentChildren } from 'preact';
import { Trouble } from './answer.tsx';
import { Button } from './button.tsx';

interface FormProps {
  readonly onSave: () => void;
  /** Label of the button that saves. */
  readonly saveLabel: string;
  readonly saveKind?: 'primary' | 'danger';
  /** What must be corrected before the form can be saved. */
  readonly mistake?: string | undefined;
  /** Why the last attempt to save it failed. */
  readonly error?: Error | null | undefined;
  /** Whether it cannot be saved now; a mistake prevents it, too. */
  readonly disabled: boolean;
  readonly onCancel?: () => void;
  /** Shown beside the buttons. */
  readonly note?: string;
  readonly children: ComponentChildren;
}

/** A form with the buttons that save it and leave it. */
export function Form({
  onSave,
  saveLabel,
  saveKind = 'primary',
  mistake,
  error,
  disabled,
  onCancel,
  note,
  children,
}: FormProps) {
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        onSave();
      }}
    >
      {children}
      {mistake !== undefined && (
        <p class="problem" role="alert">
          {mistake}
        </p>
      )}
      {error && <Trouble error={error} />}
      <div class="form-actions">
        <Button type="submit" kind={saveKind} disabled={disabled || mistake !== undefined}>
          {saveLabel}
        </Button>
        {onCancel && <Button onClick={onCancel}>Cancel</Button>}
        {note !== undefined && <span class="muted">{note}</span>}
      </div>
    </form>
  );
}
