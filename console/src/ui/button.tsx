import type { ComponentChildren, JSX } from 'preact';

interface ButtonProps extends Omit<JSX.HTMLAttributes<HTMLButtonElement>, 'type'> {
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger';
  readonly type?: 'button' | 'submit';
  readonly disabled?: boolean | undefined;
  readonly children: ComponentChildren;
}

export function Button({ kind = 'plain', type = 'button', children, ...others }: ButtonProps) {
  return (
    <button type={type} class={`button ${kind}`} {...others}>
      {children}
    </button>
  );
}
