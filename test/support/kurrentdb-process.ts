import { main } from '../doubles/kurrentdb/main.ts';

// Runs the double in a child process, so that it can be killed and frozen.
await main(process.argv.slice(2));
