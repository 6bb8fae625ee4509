import { CommanderError } from 'commander';
import { isProblem } from '../../packages/client/src/index.ts';
import { endSoon, endWithOutput } from './end.ts';
import { createProgram } from './program.ts';

const exitFailed = 1;
const exitUsage = 2;

/** Runs the command line. Exit status: 0 success, 1 failure, 2 usage error. */
export async function main(argv: readonly string[]): Promise<void> {
  endWithOutput();
  if (!(await runCommand(argv))) endSoon();
}

/** Sets the exit status. Returns false if the command failed and may have left something running. */
export async function runCommand(argv: readonly string[]): Promise<boolean> {
  const program = createProgram();
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : exitUsage;
      return true;
    }
    // Loaded on demand: it imports the errors of all adapters.
    const { explain } = await import('./explain.ts');
    console.error(explain(error));
    process.exitCode = isMisuse(error) ? exitUsage : exitFailed;
    return false;
  }
  return true;
}

/** Whether the command was used wrongly: the server validates the values of options. */
function isMisuse(error: unknown): boolean {
  return isProblem(error, 'validation-failed');
}
