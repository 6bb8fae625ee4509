import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KurrentDouble } from './double.ts';

/**
 * Controls the double over HTTP. `GET /health/live` answers 204. `POST /double/<fault>` injects a fault:
 * `lose-replies?count=1&how=cut|silence`, `freeze?ms=`, `away?ms=`, `drop-subscribers`, `lag-limit?events=` (without a
 * number, no limit).
 */
export async function controlRequest(
  double: KurrentDouble,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://double');
  const number = (name: string, otherwise: number): number => Number(searchParams.get(name) ?? otherwise);
  const faults: Readonly<Record<string, () => void>> = {
    'lose-replies': () =>
      double.faults.loseReplies(
        number('count', 1),
        searchParams.get('how') === 'silence' ? 'silence' : 'cut',
      ),
    freeze() {
      double.faults.freeze();
      void sleep(number('ms', 1_000)).then(() => double.faults.thaw());
    },
    away: () => void absence(double, number('ms', 1_000)),
    'drop-subscribers': () => void double.faults.dropSubscribers(),
    'lag-limit'() {
      double.faults.lagLimit = searchParams.has('events') ? number('events', 0) : undefined;
    },
  };
  const misbehave = faults[pathname.replace(/^\/double\//, '')];
  if (request.method === 'GET' && pathname === '/health/live') response.writeHead(204).end();
  else if (request.method === 'POST' && misbehave) {
    response.writeHead(204).end();
    misbehave();
  } else response.writeHead(404).end();
}

async function absence(double: KurrentDouble, ms: number): Promise<void> {
  await double.goAway();
  await sleep(ms);
  await double.comeBack();
}
