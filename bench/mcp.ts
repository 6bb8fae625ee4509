// What a search costs more over MCP than over HTTP, and how soon a client that starts a process gets its first answer.
import path from 'node:path';
import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Benchmark, BenchmarkOptions } from './support/benchmark.ts';
import { withScratch } from './support/folders.ts';
import type { Json } from './support/http.ts';
import { adminKeyOf, adminOf } from './support/loaded.ts';
import { Program } from './support/program.ts';
import type { Report } from './support/report.ts';
import { percentile, timed } from './support/statistics.ts';

const memories = 300;
const warmUp = 50;
const searches = 300;
const starts = 3;
const query = 'What is known about the second topic?';

const newClient = (): McpClient => new McpClient({ name: 'benchmark', version: '1' });

export const mcp: Benchmark = {
  name: 'mcp',
  about: `${searches} searches over MCP, alternating with HTTP, among ${memories} memories, and the start of stratalog mcp`,
  async run(options, report) {
    await withScratch(async (folder) => {
      const dataDir = path.join(folder, 'data');
      const key = await compareSearches(dataDir, options, report);
      await startOnFolder(dataDir, key, report);
    });
  },
};

/** Loads the folder, and returns a key for it. */
async function compareSearches(
  dataDir: string,
  { profile, source }: BenchmarkOptions,
  report: Report,
): Promise<string> {
  const program = await Program.start({ dataDir, embedder: 'onnx', profile });
  const http = await adminOf(program);
  const key = await adminKeyOf(program);
  await http.bulk(Array.from({ length: memories }, (_, index) => source.memory(index)));
  await program.caughtUp();
  const client = newClient();
  const headers = { authorization: `Bearer ${key}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', program.url), { requestInit: { headers } }),
  );
  const ways = {
    http: async (): Promise<Json> => http.expect(200, 'POST', '/v1/search', { query }),
    mcp: async (): Promise<Json> =>
      (await client.callTool({ name: 'memory_search', arguments: { query } })).structuredContent,
  };
  const times = { http: [] as number[], mcp: [] as number[] };
  let agreed = 0;
  for (let n = 0; n < warmUp + searches; n++) {
    const over = { http: await timed(ways.http), mcp: await timed(ways.mcp) };
    if (n < warmUp) continue;
    times.http.push(over.http.ms);
    times.mcp.push(over.mcp.ms);
    if (idsOf(over.http.result) === idsOf(over.mcp.result)) agreed++;
  }
  report.check('both find the same memories', agreed === searches, `${agreed} of ${searches}`);
  const [overHttp, overMcp] = [percentile(times.http, 0.5), percentile(times.mcp, 0.5)];
  report.figure({
    name: 'search over MCP, p50',
    value: overMcp,
    unit: 'ms',
    baseline: { name: 'HTTP', value: overHttp },
  });
  report.figure({
    name: 'MCP adds to a search',
    value: overMcp - overHttp,
    unit: 'ms',
    target: { of: 'value', most: 3 },
  });
  await client.close();
  http.close();
  await program.stop();
  return key;
}

function idsOf({ results }: Json): string {
  return JSON.stringify(results.map(({ memory }: Json) => memory.id));
}

/** From the start of the process to the answer of its first search. */
async function startOnFolder(dataDir: string, key: string, report: Report): Promise<void> {
  let worst = 0;
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('STRATALOG_'));
  for (let n = 0; n < starts; n++) {
    const client = newClient();
    const { ms, result } = await timed(async () => {
      await client.connect(
        new StdioClientTransport({
          command: process.execPath,
          args: [path.resolve('bin/stratalog.mjs'), 'mcp', '--data', dataDir],
          env: { ...(Object.fromEntries(own) as Record<string, string>), STRATALOG_API_KEY: key },
          stderr: 'ignore',
        }),
      );
      return client.callTool({ name: 'memory_search', arguments: { query } });
    });
    report.check(
      'the first answer is a search',
      !result.isError,
      JSON.stringify(result.content).slice(0, 80),
    );
    worst = Math.max(worst, ms);
    await client.close();
  }
  report.figure({
    name: `stratalog mcp: first answer, worst of ${starts}`,
    value: worst / 1_000,
    unit: 's',
    target: { of: 'value', most: 3 },
  });
}
