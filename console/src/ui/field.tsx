import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';

interface FieldProps {
  readonly label: string;
  readonly value: string;
  /** Called when the person has finished typing: after a pause, on Enter, or when the field is left. */
  readonly onValue: (value: string) => void;
  readonly type?: 'text' | 'search' | 'number' | 'date' | 'datetime-local';
  readonly placeholder?: string;
  /** Marks the field that the shortcut `/` goes to. */
  readonly isSearch?: boolean;
  /** Milliseconds after the last key; without it only Enter and leaving the field count. */
  readonly pauseMs?: number;
}

/** A labelled field whose value lives in the address or in the state of the view. */
export function Field({ label, value, onValue, isSearch = false, pauseMs, ...others }: FieldProps) {
  const id = useId();
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (pauseMs === undefined || typed === value) return undefined;
    const timer = setTimeout(() => onValue(typed), pauseMs);
    return () => clearTimeout(timer);
  }, [typed]);
  const done = () => typed !== value && onValue(typed);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        {...others}
        {...(isSearch && { 'data-search': '' })}
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        onBlur={done}
        onKeyDown={({ key }) => key === 'Enter' && done()}
      />
    </div>
  );
}

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  /** Value and name of each choice; the value '' stands for no filter. */
  readonly choices: readonly (readonly [value: string, name: string])[];
}

/** A labelled choice of one value. */
export function Select({ label, value, onValue, choices }: SelectProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
        {choices.map(([choice, name]) => (
          <option key={choice} value={choice}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

interface CheckboxProps {
  readonly label: ComponentChildren;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
}

/** A labelled box to tick. */
export function Checkbox({ label, isChecked, onChange }: CheckboxProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={isChecked}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      {label}
    </label>
  );
}

/** The filters of a view in one row. */
export function Filters({
  children,
  ...others
}: { readonly children: ComponentChildren } & JSX.HTMLAttributes<HTMLFormElement>) {
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()} {...others}>
      {children}
    </form>
  );
}
