#!/usr/bin/env node
// Real servers for development without Docker: `npm run stack -- up|down|status [name …] [--json]`.
// Everything they need, hold and write is below .stack/, one folder a server.
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { postgres } from './postgres.mjs';
import { down, status, up } from './lifecycle.mjs';

/** Each is `{name, url, install, command, ready, prepare, stopSignal}`, see `stack/postgres.mjs`. */
const servers = { postgres };

const home = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), '.stack');
const usage = `usage: npm run stack -- up|down|status|reset [${Object.keys(servers).join('|')} …] [--json]
  up      fetches what is missing, starts, and waits until the server takes requests
  down    stops, and keeps the data
  status  says what runs and where; --json as {name: {state, url, pid}}
  reset   stops, and deletes the data`;

const words = process.argv.slice(2);
const json = words.includes('--json');
const [action, ...names] = words.filter((word) => word !== '--json');
const unknown = names.filter((name) => !(name in servers));
if (!['up', 'down', 'status', 'reset'].includes(action) || unknown.length > 0) {
  if (unknown.length > 0) console.error(`no such server: ${unknown.join(', ')}`);
  console.error(usage);
  process.exit(2);
}
const chosen = (names.length > 0 ? names : Object.keys(servers)).map((name) => servers[name]);
const folderOf = (server) => path.join(home, server.name);

const actions = {
  up: async (server) => up(server, folderOf(server), (text) => console.error(`${server.name}: ${text}`)),
  down: async (server) => down(server, folderOf(server)),
  status: async () => {},
  reset: async (server) => {
    await down(server, folderOf(server));
    const data = path.join(folderOf(server), 'data');
    if (existsSync(data)) rmSync(data, { recursive: true });
  },
};

try {
  for (const server of chosen) await actions[action](server);
} catch (error) {
  console.error(error.expected ? error.message : error.stack);
  process.exitCode = 1;
}
const report = Object.fromEntries(
  await Promise.all(chosen.map(async (server) => [server.name, await status(server, folderOf(server))])),
);
if (json) console.log(JSON.stringify(report));
else
  for (const [name, { state, url, pid }] of Object.entries(report))
    console.log([name, state, ...(pid ? [`pid ${pid}`, url] : [])].join('  '));
