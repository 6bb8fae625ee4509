import { access, constants, mkdir } from 'node:fs/promises';
import net from 'node:net';
import { styleText } from 'node:util';
import { Command } from 'commander';
import { openOnnxEmbedder } from '../adapters/onnx/embedder.ts';
import { openPglite } from '../adapters/pglite/open.ts';
import { openPostgres } from '../adapters/postgres/postgres.ts';
import { readConfig, type Config } from '../config.ts';
import { explain } from './explain.ts';
import { printJson } from './output.ts';
import { environmentWith } from './serve.ts';

interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
}

const leastNode = [20, 19] as const;

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('Check what this machine and this configuration have, and say what is missing')
    .option('--profile <profile>', 'embedded, postgres or cluster (STRATALOG_PROFILE)')
    .option('--data <folder>', 'data folder (STRATALOG_DATA)')
    .option('--port <port>', 'port to listen on (STRATALOG_PORT)')
    .action(async (options: Record<string, string>, own: Command) => {
      const config = readConfig(environmentWith(options));
      const findings = [
        nodeVersion(),
        await finding('model', () => model(config)),
        await finding('database', () => database(config)),
        await finding('port', () => port(config)),
      ];
      const { json } = own.optsWithGlobals<{ json?: boolean }>();
      if (json) printJson(findings);
      else
        for (const { check, ok, detail } of findings)
          console.log(
            `${ok ? styleText('green', 'ok  ') : styleText('red', 'FAIL')} ${check.padEnd(9)} ${detail}`,
          );
      if (findings.some(({ ok }) => !ok)) process.exitCode = 1;
    });
}

async function finding(check: string, look: () => Promise<string>): Promise<Finding> {
  try {
    return { check, ok: true, detail: await look() };
  } catch (error) {
    return { check, ok: false, detail: explain(error).split('\n')[0]! };
  }
}

function nodeVersion(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const ok = major > leastNode[0] || (major === leastNode[0] && minor >= leastNode[1]);
  return {
    check: 'node',
    ok,
    detail: `${process.versions.node}${ok ? '' : `, at least ${leastNode.join('.')} is needed`}`,
  };
}

async function model({ embedder }: Config): Promise<string> {
  if (embedder.kind !== 'onnx') return `${embedder.kind}: not checked here`;
  const opened = await openOnnxEmbedder({ model: 'bge-small-en-v1.5', workers: 1 });
  const { id } = opened.model;
  await opened.close();
  return id;
}

async function database(config: Config): Promise<string> {
  if (config.profile === 'embedded') {
    await mkdir(config.dataDir, { recursive: true });
    await access(config.dataDir, constants.W_OK);
    const sql = await openPglite({ dataDir: config.dataDir });
    const [row] = await sql.query<{ version: string }>('show server_version');
    await sql.close();
    return `${config.dataDir}, ${String(Object.values(row!)[0])}`;
  }
  const sql = await openPostgres({ url: config.postgresUrl });
  try {
    const [row] = await sql.query<{ server_version: string }>('show server_version');
    return `PostgreSQL ${row!.server_version}`;
  } finally {
    await sql.close();
  }
}

async function port({ host, port }: Config): Promise<string> {
  const server = net.createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  await new Promise((resolve) => server.close(resolve));
  return `${host}:${port} is free`;
}
