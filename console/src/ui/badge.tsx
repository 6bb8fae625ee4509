import type { ComponentChildren } from 'preact';
import type { Tone } from './tone.ts';

/** A short word about the state of something. */
export function Badge({
  tone = 'plain',
  children,
}: {
  readonly tone?: Tone;
  readonly children: ComponentChildren;
}) {
  return <span class={`badge ${tone}`}>{children}</span>;
}
