#!/usr/bin/env node
// Real servers for development without Docker: `npm run stack -- fetch|up|down|status|logs|reset [name …]`.
// Programs, data and logs are below .stack/, in one folder per server.
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { down, fetchServer, status, up } from './lifecycle.mjs';
import { logs } from './logs.mjs';

const modules = {
  'kurrentdb-double': () => import('./kurrentdb-double.mjs').then((module) => module.kurrentdbDouble),
  kafka: () => import('./kafka.mjs').then((module) => module.kafka),
  postgres: () => import('./postgres.mjs').then((module) => module.postgres),
  opensearch: () => import('./opensearch.mjs').then((module) => module.opensearch),
};

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const home = process.env['STACK_HOME'] ?? path.join(root, '.stack');
const usage = `usage: npm run stack -- fetch|up|down|status|logs|reset [${Object.keys(modules).join('|')} …] [--json] [-f]
  fetch   brings what is missing, and starts nothing
  up      fetches what is missing, starts, and waits until the server takes requests; without a name all of them
  down    stops, and keeps the data
  status  says what runs and where; --json as {name: {state, url, pid}}
  logs    prints the end of what it wrote; -f goes on with what it writes
  reset   stops, and deletes the data`;

const options = new Set(['--json', '-f', '--follow']);
const words = process.argv.slice(2);
const [action, ...names] = words.filter((word) => !options.has(word));
const json = words.includes('--json');
const follow = words.includes('-f') || words.includes('--follow');
const unknown = names.filter((name) => !Object.hasOwn(modules, name));
if (!['fetch', 'up', 'down', 'status', 'logs', 'reset'].includes(action) || unknown.length > 0) {
  if (unknown.length > 0) console.error(`no such server: ${unknown.join(', ')}`);
  console.error(usage);
  process.exit(2);
}
const chosenNames = names.length > 0 ? names : Object.keys(modules);
const folderOf = ({ name }) => path.join(home, name);

const printerOf =
  ({ name }) =>
  (text) =>
    console.error(`${name}: ${text}`);

const actions = {
  fetch: async (server) => fetchServer(server, folderOf(server), printerOf(server)),
  up: async (server) => up(server, folderOf(server), printerOf(server)),
  down: async (server) => down(server, folderOf(server)),
  status: async () => {},
  reset: async (server) => {
    await down(server, folderOf(server));
    const data = path.join(folderOf(server), 'data');
    if (existsSync(data)) rmSync(data, { recursive: true });
  },
};

async function printLogs() {
  const several = chosenNames.length > 1;
  const write = (name, text) => {
    const lines = text.replace(/\n$/, '').split('\n');
    for (const line of lines) console.log(several ? `${name}: ${line}` : line);
  };
  await logs(
    chosenNames.map((name) => ({ name, folder: folderOf({ name }) })),
    write,
    { follow },
  );
}

async function act() {
  const chosen = await Promise.all(chosenNames.map((name) => modules[name]()));
  let failed = false;
  for (const server of chosen)
    await actions[action](server).catch((error) => {
      // The other servers go on if one cannot start.
      console.error(`${server.name}: ${error.expected ? error.message : error.stack}`);
      failed = true;
    });
  const states = chosen.map(async (server) => [server.name, await status(server, folderOf(server))]);
  const report = Object.fromEntries(await Promise.all(states));
  if (json) console.log(JSON.stringify(report));
  else
    for (const [name, { state, url, pid }] of Object.entries(report))
      console.log([name, state, ...(pid ? [`pid ${pid}`, url] : [])].join('  '));
  if (failed) process.exitCode = 1;
}

try {
  await (action === 'logs' ? printLogs() : act());
} catch (error) {
  console.error(error.expected ? error.message : error.stack);
  process.exitCode = 1;
}
