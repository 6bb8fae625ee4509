import type { BackEnd } from './back-ends.ts';
import { abandonAfter } from '../support/resilience/time-limit.ts';

export type BackEndState =
  { readonly state: 'up'; readonly version: string } | { readonly state: 'down'; readonly error: string };

export type BackEndStates = Readonly<Record<string, BackEndState>>;

const keptMs = 1_000;
/** Shorter than the time limit of readiness, so that the answer still names a server that hangs. */
const patienceMs = 2_000;

/** Whether each server answers. The result is cached for a second. */
export class BackEndHealth {
  readonly #backEnds: readonly BackEnd[];
  #asked: { readonly at: number; readonly states: Promise<BackEndStates> } | undefined;

  constructor(backEnds: readonly BackEnd[]) {
    this.#backEnds = backEnds;
  }

  /** State by server name. Always resolves, within two seconds. */
  states(): Promise<BackEndStates> {
    const now = performance.now();
    if (!this.#asked || now - this.#asked.at > keptMs) this.#asked = { at: now, states: this.#ask() };
    return this.#asked.states;
  }

  async #ask(): Promise<BackEndStates> {
    const states = this.#backEnds.map(async (backEnd): Promise<[string, BackEndState]> => {
      try {
        return [backEnd.name, { state: 'up', version: await abandonAfter(patienceMs, backEnd.ask) }];
      } catch (error) {
        return [backEnd.name, { state: 'down', error: (error as Error).message }];
      }
    });
    return Object.fromEntries(await Promise.all(states));
  }
}
