// Preloaded into a server: on each message it answers how long its event loop was held at most since the message before, in ms. On Linux
// it counts the time that the thread ran, so that other programs on the machine do not matter; elsewhere the time that passed.
import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const everyMs = 2;

if (isMainThread && process.send) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  let [last, held] = [runtime(), 0];
  setInterval(look, everyMs).unref();
  process.on('message', () => {
    look();
    process.send({ held: last === undefined ? delay.max / 1e6 : held, waited: delay.max / 1e6 });
    delay.reset();
    [last, held] = [runtime(), 0];
  });
  // The server ends although somebody may still ask.
  process.channel.unref();

  function look() {
    const now = runtime();
    if (now !== undefined) held = Math.max(held, now - last);
    last = now;
  }
}

/** Milliseconds that the main thread has run; undefined where nothing tells. */
function runtime() {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ', 1)[0]) / 1e6;
  } catch {
    return undefined;
  }
}
