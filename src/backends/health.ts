import type { BackEnd } from './back-ends.ts';
import { abandonAfter } from '../support/resilience/time-limit.ts';

export type BackEndState =
  { readonly state: 'up'; readonly version: string } | { readonly state: 'down'; readonly error: string };

export type BackEndStates = Readonly<Record<string, BackEndState>>;

const keptMs = 1_000;
/** Before those who ask for readiness give up: a server that is frozen is then named. */
const patienceMs = 2_000;

/** Whether each server answers. However often it is asked, the servers are asked once a second at most. */
export class BackEndHealth {
  readonly #backEnds: readonly BackEnd[];
  #asked: { readonly at: number; readonly states: Promise<BackEndStates> } | undefined;

  constructor(backEnds: readonly BackEnd[]) {
    this.#backEnds = backEnds;
  }

  /** By name; resolves in any case, within two seconds. */
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
