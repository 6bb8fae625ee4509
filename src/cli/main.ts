import { CommanderError } from 'commander';
import { isProblem } from '../../packages/client/src/index.ts';
import { endSoon, endWithOutput } from './end.ts';
import { createProgram } from './program.ts';

const exitFailed = 1;
const exitUsage = 2;

/** Runs the command line. Exit status: 0 success, 1 failure, 2 usage error. */
export async function main(argv: readonly string[]): Promise<void> {
  endWithOutput();
  const program = createProgram();
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : exitUsage;
      return;
    }
    // Loaded on demand: it imports the errors of all adapters.
    const { explain } = await import('./explain.ts');
    console.error(explain(error));
    process.exitCode = isMisuse(error) ? exitUsage : exitFailed;
    endSoon();
  }
}

/** Whether the command was used wrongly: the server validates the values of options. */
function isMisuse(error: unknown): boolean {
  return isProblem(error, 'validation-failed');
}
