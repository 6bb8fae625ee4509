// Starts a server in its own process, records which process it is, and stops only that one.
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { failure } from './failure.mjs';

/** On a slow, busy machine a Java server takes more than a minute to start. */
const readyMs = 240_000;
const stopMs = 20_000;

/** Fetches what `server` needs without starting it. */
export async function fetchServer(server, folder, say) {
  mkdirSync(folder, { recursive: true });
  if (!runningPid(folder)) await server.install(folder, say);
}

/** Starts `server` if it is not running, and waits until it accepts requests. */
export async function up(server, folder, say) {
  mkdirSync(folder, { recursive: true });
  let pid = runningPid(folder);
  if (!pid) {
    if (await server.ready(folder))
      throw failure(`${server.url} is served already, by a process that is not ours`);
    await server.install(folder, say);
    pid = await start(server, folder);
    say(`started, pid ${pid}`);
  }
  await untilReady(server, folder, pid);
  await server.prepare(folder);
}

/** Stops the process that `up` started, if it is still running. */
export async function down(server, folder) {
  const pid = runningPid(folder);
  if (pid) {
    process.kill(pid, server.stopSignal);
    for (const end = Date.now() + stopMs; runningPid(folder) && Date.now() < end;) await sleep(50);
    if (runningPid(folder)) process.kill(pid, 'SIGKILL');
  }
  rmSync(recordOf(folder), { force: true });
}

/** `{state: 'up' | 'starting' | 'down', url, pid}`. */
export async function status(server, folder) {
  const pid = runningPid(folder);
  const state = pid ? ((await server.ready(folder)) ? 'up' : 'starting') : 'down';
  return { state, url: server.url, pid: pid ?? null };
}

async function start(server, folder) {
  const { command, args, env, cwd } = await server.command(folder);
  const log = openSync(path.join(folder, 'server.log'), 'a');
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  await new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => reject(failure(`${command} does not start: ${error.message}`)));
  });
  child.unref();
  writeFileSync(recordOf(folder), JSON.stringify({ pid: child.pid, born: startTimeOf(child.pid) }));
  return child.pid;
}

async function untilReady(server, folder, pid) {
  for (const end = Date.now() + readyMs; Date.now() < end; await sleep(100)) {
    if (await server.ready(folder)) return;
    if (!runningPid(folder)) throw failure(`${server.name} ended while it started:\n${logTail(folder)}`);
  }
  throw failure(`${server.name} (pid ${pid}) does not answer after ${readyMs / 1000} s:\n${logTail(folder)}`);
}

/** The recorded process if it is still the same one. Process ids are reused, for instance after a reboot. */
function runningPid(folder) {
  if (!existsSync(recordOf(folder))) return undefined;
  const { pid, born } = JSON.parse(readFileSync(recordOf(folder), 'utf8'));
  return startTimeOf(pid) === born ? pid : undefined;
}

/** Start time of a process in clock ticks since boot; undefined if there is none, or only a zombie. */
function startTimeOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields[0] === 'Z'
      ? undefined
      : `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${fields[19]}`;
  } catch {
    return undefined;
  }
}

const recordOf = (folder) => path.join(folder, 'server.json');

const logTail = (folder) =>
  readFileSync(path.join(folder, 'server.log'), 'utf8').split('\n').slice(-15).join('\n');
