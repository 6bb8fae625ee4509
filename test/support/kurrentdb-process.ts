import { main } from '../doubles/kurrentdb/main.ts';

// The double as a process of its own, to be killed and frozen.
await main(process.argv.slice(2));
