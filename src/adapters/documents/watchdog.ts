/**
 * Source of the thread that ends the process when it takes more memory than the bytes in `workerData`, more CPU time than the milliseconds
 * that were sent last, or when its parent has ended: a file that is being read may block the main thread. The signals have no handler:
 * they end the process at once, and tell the parent why. Typed arrays are no part of the heap, so V8 does not limit them.
 */
export const watchdog = `
  const { parentPort, workerData } = require('node:worker_threads');
  const parent = process.ppid;
  const cpuMs = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1_000; };
  let lastMs = Infinity;
  parentPort.on('message', (ms) => { lastMs = cpuMs() + ms; });
  setInterval(() => {
    if (process.memoryUsage.rss() > workerData || process.ppid !== parent) process.kill(process.pid, 'SIGUSR2');
    if (cpuMs() > lastMs) process.kill(process.pid, 'SIGALRM');
  }, 50);
`;
