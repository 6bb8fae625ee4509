/**
 * Source of the thread that ends the process when it takes more memory than the bytes in `workerData`, or when its parent has ended:
 * a file that is being read may block the main thread. The signal has no handler: it ends the process at once, and tells the parent
 * why. Typed arrays are no part of the heap, so V8 does not limit them.
 */
export const watchdog = `
  const { workerData } = require('node:worker_threads');
  const parent = process.ppid;
  setInterval(() => {
    if (process.memoryUsage.rss() > workerData || process.ppid !== parent) process.kill(process.pid, 'SIGUSR2');
  }, 50);
`;
