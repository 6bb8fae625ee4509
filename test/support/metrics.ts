import { expect } from 'vitest';
import type { ServerAddress } from './server.ts';

/** Reads /metrics in Prometheus's text format. Returns the value of each series, by `name{labels}` or `name`. */
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
