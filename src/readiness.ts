import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from './config.ts';
import type { Authenticator } from './http/authenticate.ts';
import type { Readiness, Services } from './services.ts';

/** A database that is frozen answers nothing at all, not even a refusal. */
const readinessMs = 3_000;

/** Whether the log and the read models answer, and how far they are. Resolves in any case, within 3 s. */
export async function readiness(
  config: Config,
  status: Readiness['status'],
  authenticator: Authenticator,
  services: Services,
): Promise<Readiness> {
  const { profile } = config;
  const silence = sleep(readinessMs, undefined, { ref: false }).then(() => {
    throw new Error('no answer in time');
  });
  try {
    const state = stateOfLog(authenticator, services);
    return { status, profile, ...(await Promise.race([state, silence])) };
  } catch {
    return {
      status: 'unavailable',
      profile,
      identity: 'credentials',
      log: { error: 'the log does not answer' },
      projections: [],
    };
  }
}

async function stateOfLog(
  authenticator: Authenticator,
  { commands, operations }: Services,
): Promise<Pick<Readiness, 'identity' | 'log' | 'projections'>> {
  const identity = (await authenticator.developmentIsOpen()) ? 'development' : 'credentials';
  const head = await commands.store.log.head();
  const projections = (await operations.status()).map(({ name, generations, parked }) => {
    const live = generations.find(({ active }) => active);
    const { position = 0, lag = head, lock = 'free' } = live ?? {};
    return { name, position, lag, lock, parked: parked.length };
  });
  return { identity, log: { head }, projections };
}
