// Sends requests made from the OpenAPI document, most of them wrong somewhere: none is answered with 5xx, and memory stays flat.
import http from 'node:http';
import path from 'node:path';
import type { Benchmark } from '../support/benchmark.ts';
import { withScratch } from '../support/folders.ts';
import type { Json } from '../support/http.ts';
import { adminKeyOf, adminOf } from '../support/loaded.ts';
import { Program } from '../support/program.ts';
import { pick, randomFrom } from '../support/random.ts';
import { inLanes } from '../support/statistics.ts';
import { fuzzedRequest, operationsOf, type FuzzedRequest } from './fuzz/generate.ts';

const usual = 100_000;
const lanes = 8;
const keptIds = 200;
const timeLimitMs = 70_000;
/** Caches and read models fill at first; from here on memory is compared. */
const warmShare = 0.2;
const shownFailures = 10;

interface FuzzedReply {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

export const fuzz: Benchmark = {
  name: 'fuzz',
  about: `${usual} requests (--count) made from the OpenAPI document with hostile values: no 5xx, memory flat`,
  async run({ profile, count = usual, seed }, report) {
    await withScratch(async (folder) => {
      const program = await Program.start({
        dataDir: path.join(folder, 'data'),
        embedder: 'deterministic',
        profile,
      });
      const client = await adminOf(program);
      const key = await adminKeyOf(program);
      const document: Json = await client.expect(200, 'GET', '/openapi.json');
      const operations = operationsOf(document);
      const random = randomFrom(seed);
      const agent = new http.Agent({ keepAlive: true, maxSockets: lanes });
      const known: string[] = [];
      const statuses = new Map<number, number>();
      const failures: string[] = [];
      let warm: number | undefined;
      await inLanes(lanes, count, async (index) => {
        if (index === Math.floor(warmShare * count)) warm = await program.memory();
        const request = fuzzedRequest(pick(operations, random), document, known, random);
        const reply = await send(program.url, key, agent, request).catch((error: unknown) => String(error));
        const failure = typeof reply === 'string' ? reply : faultOf(reply);
        if (failure !== undefined)
          failures.push(
            `${request.operation.method} ${request.path.slice(0, 200)} ${request.body?.toString().slice(0, 300) ?? ''}: ${failure}`,
          );
        if (typeof reply === 'string') return;
        statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
        remember(known, reply, random);
      });
      await program.caughtUp();
      const after = await program.memory();
      report.note(
        `${operations.length} operations; ${[...statuses]
          .sort(([left], [right]) => left - right)
          .map(([status, times]) => `${status}: ${times}`)
          .join(', ')}`,
      );
      report.figure({
        name: '5xx (but position-timeout) or no answer',
        value: failures.length,
        unit: `of ${count}`,
        target: { of: 'value', most: 0 },
      });
      if (warm !== undefined && after !== undefined)
        report.figure({
          name: 'memory at the end',
          value: after,
          unit: 'MB',
          baseline: { name: `after ${Math.floor(warmShare * count)}`, value: warm },
          target: { of: 'ratio', most: 1.25 },
        });
      report.check(
        'no answer is 5xx, and each refusal is a problem document',
        failures.length === 0,
        failures.slice(0, shownFailures).join('\n    '),
      );
      await client.expect(200, 'POST', '/v1/search', { query: 'gateway' });
      agent.destroy();
      client.close();
      await program.stop();
    });
  },
};

function faultOf({ status, type, text }: FuzzedReply): string | undefined {
  // Past read models that are still being filled: repeat later.
  if (status === 504 && text.includes('"code":"position-timeout"')) return undefined;
  if (status >= 500) return `${status} ${text.slice(0, 300)}`;
  if (status < 400) return undefined;
  return type.startsWith('application/problem+json') && /"code":"[a-z-]+"/.test(text)
    ? undefined
    : `${status} ${type} ${text.slice(0, 300)}`;
}

function remember(known: string[], { status, text }: FuzzedReply, random: () => number): void {
  if (status >= 300) return;
  for (const [, id] of text.matchAll(/"id":"([0-9a-f-]{36})"/g)) {
    if (known.length < keptIds) known.push(id!);
    else if (random() < 0.1) known[Math.floor(random() * keptIds)] = id!;
  }
}

function send(
  url: string,
  key: string,
  agent: http.Agent,
  { operation, path, headers, body }: FuzzedRequest,
): Promise<FuzzedReply> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      `${url}${path}`,
      {
        method: operation.method,
        agent,
        headers: {
          ...headers,
          authorization: `Bearer ${key}`,
          ...(body && { 'content-length': body.length }),
        },
        signal: AbortSignal.timeout(timeLimitMs),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () =>
          resolve({
            status: response.statusCode!,
            type: response.headers['content-type'] ?? '',
            text: Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    request.once('error', reject);
    request.end(body);
  });
}
