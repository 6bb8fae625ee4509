// Loaded into a server before its program (`--import`), in each of its threads. Steps its clock and slows down its disk, as the JSON
// file in STRATALOG_TEST_DISTURBANCE says at the time: {"clockMs": 0, "diskMs": 0}.
import fs, { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const file = process.env.STRATALOG_TEST_DISTURBANCE;
const readEveryMs = 100;
let clockMs = 0;
let diskMs = 0;

function read() {
  try {
    ({ clockMs = 0, diskMs = 0 } = JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // It is being written. The next look finds it complete.
  }
}

const RealDate = Date;
globalThis.Date = class Date extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + clockMs);
    else super(...parts);
  }
  static now() {
    return RealDate.now() + clockMs;
  }
};

const cell = new Int32Array(new SharedArrayBuffer(4));
for (const name of ['fsyncSync', 'fdatasyncSync']) {
  const sync = fs[name];
  fs[name] = (...args) => {
    // The thread of the database may be too busy for its timer.
    read();
    if (diskMs > 0) Atomics.wait(cell, 0, 0, diskMs);
    return sync(...args);
  };
}
syncBuiltinESMExports();

if (file !== undefined) {
  read();
  setInterval(read, readEveryMs).unref();
}
