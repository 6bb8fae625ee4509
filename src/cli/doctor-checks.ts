import { access, constants, readdir, stat } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { styleText } from 'node:util';
import { readOnlyExplained } from '../adapters/pglite/errors.ts';
import { openPglite } from '../adapters/pglite/open.ts';
import { readPostgres } from '../adapters/postgres/inspect.ts';
import { backEndsOf, type BackEnd } from '../backends/back-ends.ts';
import { inspectEmbedder } from '../backends/embedder.ts';
import { inspectLanguageModel } from '../backends/language-model.ts';
import { modelAdvice, sampleLanguages, type StoredLanguages } from '../backends/model-advice.ts';
import { isRefusal } from '../backends/refusals.ts';
import { inspectVault } from '../backends/vault.ts';
import { ConfigError, readConfig, type Config } from '../config.ts';
import type { Sql, SqlExecutor } from '../ports/sql.ts';
import { countParked, type ParkedCount } from '../follow/parked-table.ts';
import { readParkedTexts } from '../projections/vectors/parked-texts.ts';
import { seenModels } from '../projections/vectors/seen-models.ts';
import { endSoon } from './end.ts';
import { explain } from './explain.ts';
import { printJson } from './output.ts';
import { environmentWith } from './environment.ts';

interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
  /** Set for checks of a server. */
  readonly server?: {
    readonly url: string;
    readonly reachable: boolean;
    readonly version?: string;
    readonly missing: readonly string[];
    readonly notes: readonly string[];
  };
}

const minimumNode = [20, 19] as const;
/** How long PostgreSQL may take to answer. */
const answerMs = 3_000;

/** Prints one line per check and sets the exit status. */
export async function doctor(options: Readonly<Record<string, string>>, json: boolean): Promise<void> {
  const config = readConfig(environmentWith(options));
  // Concurrently, so that a server that does not answer does not delay the other checks.
  const stored = config.profile === 'embedded' ? inDatabase(config) : onServer(config);
  const checks = await Promise.all([
    Promise.resolve(nodeVersion()),
    finding('model', async () => model(config, (await stored).models)),
    ...languageModel(config),
    stored.then(({ findings }) => findings),
    stored.then(({ languages }) => languagesOf(languages)),
    stored.then(({ parked }) => parkedOf(parked)),
    ...backEndsOf(config).map((backEnd) =>
      // The profile `postgres` has one server, and its check has always had this name.
      server(config.profile === 'postgres' ? 'database' : backEnd.name, backEnd),
    ),
    finding('port', () => port(config)),
  ]);
  const findings = checks.flat();
  if (json) printJson(findings);
  else for (const line of findings.map(lineOf)) console.log(line);
  if (findings.some(({ ok }) => !ok)) process.exitCode = 1;
  endSoon();
}

function lineOf({ check, ok, detail }: Finding): string {
  return `${ok ? styleText('green', 'ok  ') : styleText('red', 'FAIL')} ${check.padEnd(10)} ${detail}`;
}

async function finding(check: string, look: () => Promise<string>): Promise<Finding> {
  try {
    return { check, ok: true, detail: await look() };
  } catch (error) {
    const reason = error instanceof ConfigError ? error.message : explain(error);
    return { check, ok: false, detail: reason.split('\n')[0]! };
  }
}

async function server(check: string, { url, inspect }: BackEnd): Promise<Finding> {
  try {
    const { version, missing, notes } = await inspect();
    const found = [`${version} at ${url}`, ...notes].join('; ');
    const detail = missing.length > 0 ? `missing: ${missing.join('; ')} (${found})` : found;
    const ok = missing.length === 0;
    return { check, ok, detail, server: { url, reachable: true, version, missing, notes } };
  } catch (error) {
    // The first line of a driver's message says what failed; the rest is detail.
    const reason = (error as Error).message.split('\n')[0]!;
    const detail = error instanceof ConfigError ? reason : `${reason} (${url})`;
    return { check, ok: false, detail, server: { url, reachable: isRefusal(error), missing: [], notes: [] } };
  }
}

function nodeVersion(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const ok = major > minimumNode[0] || (major === minimumNode[0] && minor >= minimumNode[1]);
  return {
    check: 'node',
    ok,
    detail: `${process.versions.node}${ok ? '' : `, at least ${minimumNode.join('.')} is needed`}`,
  };
}

async function model(config: Config, existing: readonly string[]): Promise<string> {
  return config.embedder.kind === 'deterministic'
    ? 'deterministic: not checked here'
    : inspectEmbedder(config, () => Promise.resolve(existing));
}

/** No check if no language model is configured: it is optional. */
function languageModel({ languageModel: endpoint }: Config): Promise<Finding>[] {
  return endpoint ? [finding('llm', () => inspectLanguageModel(endpoint))] : [];
}

/** What the checks need to know of the existing read models. */
interface Stored {
  /** Ids of the models that made the vectors, the live one first. */
  readonly models: readonly string[];
  readonly languages: StoredLanguages | undefined;
  /** Streams that a read model or reactor has parked. */
  readonly parked: readonly ParkedCount[];
}

const nothingStored: Stored = { models: [], languages: undefined, parked: [] };

async function readStored(sql: SqlExecutor): Promise<Stored> {
  return {
    models: await seenModels(sql),
    languages: await sampleLanguages(sql),
    parked: await countAllParked(sql),
  };
}

/** With the texts that a model does not embed, which belong to the read model `vectors`. */
async function countAllParked(sql: SqlExecutor): Promise<readonly ParkedCount[]> {
  const [parked, texts] = [await countParked(sql), await readParkedTexts(sql)];
  const streams = new Set(texts.map(({ stream }) => stream)).size;
  if (streams === 0) return parked;
  const name = 'vectors';
  const others = parked.filter((one) => one.name !== name);
  const own = parked.find((one) => one.name === name)?.count ?? 0;
  return [...others, { name, count: own + streams }];
}

/** Reads everything at once, because only one can have the database open. */
async function inDatabase(config: Config): Promise<Stored & { readonly findings: readonly Finding[] }> {
  let stored = nothingStored;
  const found = await finding('database', () =>
    database(config, async (sql) => {
      stored = await readStored(sql);
    }),
  );
  return { ...stored, findings: [found] };
}

/** Nothing if the database cannot be read: the check of its server says why. */
async function onServer(config: Config): Promise<Stored & { readonly findings: readonly Finding[] }> {
  const stored = await readPostgres(config.postgresUrl, answerMs, readStored).catch(() => nothingStored);
  return { ...stored, findings: [] };
}

/** No check if nothing is parked. */
function parkedOf(parked: readonly ParkedCount[]): Finding[] {
  if (parked.length === 0) return [];
  const counts = parked.map(({ name, count }) => `${count} in ${name}`).join(', ');
  const detail = `streams are parked: ${counts}; start the server and see "projections status"`;
  return [{ check: 'parked', ok: false, detail }];
}

/** No check without memories. */
function languagesOf(stored: StoredLanguages | undefined): Finding[] {
  if (!stored || stored.judged === 0) return [];
  const { judged, foreign, model: id } = stored;
  const detail = `${judged - foreign} of ${judged} sampled memories are in English; the model is ${id}`;
  return [{ check: 'languages', ok: true, detail: modelAdvice(stored) ?? detail }];
}

/** Changes nothing: the first start creates a missing folder or database. `read` is called if there is a database. */
async function database(config: Config, read: (sql: Sql) => Promise<void>): Promise<string> {
  const { dataDir } = config;
  const entries = await readdir(dataDir).catch(undefinedIfMissing);
  if (entries === undefined) {
    await assertCanBeCreated(dataDir, dataDir);
    return `${dataDir} does not exist yet: the first start creates it`;
  }
  await assertWritable(dataDir, dataDir);
  if (!entries.includes('pg')) return `${dataDir} has no database yet: the first start creates it`;
  const sql = await openPglite({ dataDir });
  try {
    await inspectVault(config, sql);
    await read(sql);
    const [row] = await sql.query<{ version: string }>('show server_version');
    return `${dataDir}, ${String(Object.values(row!)[0])}`;
  } finally {
    await sql.close();
  }
}

/** Throws if `folder`, which is `dataDir` or a parent of it, cannot be created. */
async function assertCanBeCreated(folder: string, dataDir: string): Promise<void> {
  const parent = path.dirname(folder);
  const found = await stat(parent).catch(undefinedIfMissing);
  if (!found) return assertCanBeCreated(parent, dataDir);
  if (!found.isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR', path: parent });
  return assertWritable(parent, dataDir);
}

async function assertWritable(folder: string, dataDir: string): Promise<void> {
  await access(folder, constants.W_OK).catch((error: unknown) => {
    throw readOnlyExplained(dataDir, error);
  });
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
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
