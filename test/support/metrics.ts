import { expect } from 'vitest';
import type { ServerAddress } from './server.ts';

/** What /metrics gives now, in Prometheus's text format: each series, `name{labels}` or `name`, with its value. */
export async function metricsOf({ url }: Pick<ServerAddress, 'url'>): Promise<Map<string, number>> {
  const answer = await fetch(`${url}/metrics`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  const lines = (await answer.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}
