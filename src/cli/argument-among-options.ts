import { Command } from 'commander';

/**
 * A command with one argument and options that take several values. In front of the argument such an option takes one
 * value at a time, or it would take the argument too; behind it all that follow.
 */
export class ArgumentAmongOptions extends Command {
  override parseOptions(args: string[]): ReturnType<Command['parseOptions']> {
    const start = this.#argumentIndex(args);
    const behind = args.slice(start).findIndex(isOption);
    const end = behind < 0 ? args.length : start + behind;
    return super.parseOptions([...args.slice(start, end), ...args.slice(0, start), ...args.slice(end)]);
  }

  /** Of the first word that is neither an option nor its value; behind the last where there is none. */
  #argumentIndex(args: readonly string[]): number {
    for (let index = 0; index < args.length; index++) {
      const arg = args[index]!;
      if (arg === '--') break;
      if (!isOption(arg)) return index;
      // Of `--option=value` none is found, and no value follows.
      if (this.options.find(({ short, long }) => arg === long || arg === short)?.required) index++;
    }
    return args.length;
  }
}

function isOption(arg: string): boolean {
  return arg.length > 1 && arg.startsWith('-');
}
