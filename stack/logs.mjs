// Prints the end of the servers' logs and follows them.
import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const lastLines = 50;
const lookMs = 200;

const logOf = (folder) => path.join(folder, 'server.log');

/** Passes the last lines of each log to `write(name, text)`. With `follow`, continues with new lines until `signal` aborts. */
export async function logs(servers, write, { follow = false, signal } = {}) {
  const places = servers.map(({ name, folder }) => {
    const whole = existsSync(logOf(folder)) ? readFileSync(logOf(folder)) : Buffer.alloc(0);
    const lines = whole.toString('utf8').split('\n');
    const text = lines.slice(-lastLines - 1).join('\n');
    if (text) write(name, text);
    return { name, file: logOf(folder), at: whole.length };
  });
  while (follow && !signal?.aborted) {
    for (const place of places) {
      const added = readFrom(place);
      if (added.length > 0) write(place.name, added.toString('utf8'));
      place.at += added.length;
    }
    await sleep(lookMs, undefined, { signal }).catch(() => {});
  }
}

function readFrom(place) {
  const size = existsSync(place.file) ? statSync(place.file).size : 0;
  // The log was truncated or replaced.
  if (size < place.at) place.at = 0;
  const bytes = Buffer.alloc(size - place.at);
  if (bytes.length === 0) return bytes;
  const descriptor = openSync(place.file, 'r');
  try {
    return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, place.at));
  } finally {
    closeSync(descriptor);
  }
}
