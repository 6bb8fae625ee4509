import { expect } from 'vitest';
import type { ProblemCode } from '../../src/domain/problems.ts';

export interface Decider<Command, State, Event> {
  readonly initialState: State;
  readonly decide: (command: Command, state: State) => readonly Event[];
  readonly evolve: (state: State, event: Event) => State;
}

/** `given(past).when(command).thenDecides(events)`: specifies what a decider decides on a command after past events. */
export function specify<Command, State, Event>({
  initialState,
  decide,
  evolve,
}: Decider<Command, State, Event>) {
  return (...past: readonly Event[]) => {
    const state = past.reduce(evolve, initialState);
    return {
      when(command: Command) {
        const decision = () => decide(command, state);
        return {
          thenDecides(...events: readonly Event[]): void {
            expect(decision()).toEqual(events);
          },
          thenNothing(): void {
            expect(decision()).toEqual([]);
          },
          /** Expects a problem with this code. */
          thenRefused(code: ProblemCode): void {
            expect(decision).toThrow(expect.objectContaining({ name: 'Problem', code }) as Error);
          },
          thenFails(message: RegExp): void {
            expect(decision).toThrow(message);
          },
        };
      },
      thenState(expected: State): void {
        expect(state).toEqual(expected);
      },
    };
  };
}
