import { Command } from 'commander';

/**
 * A command with one argument and options that take several values. Before the argument, such an option takes one value,
 * or it would take the argument too; after the argument, it takes all values that follow.
 */
export class ArgumentAmongOptions extends Command {
  override parseOptions(args: string[]): ReturnType<Command['parseOptions']> {
    const start = this.#argumentIndex(args);
    const behind = args.slice(start).findIndex(isOption);
    const end = behind < 0 ? args.length : start + behind;
    return super.parseOptions([...args.slice(start, end), ...args.slice(0, start), ...args.slice(end)]);
  }

  /** Index of the first word that is neither an option nor its value; `args.length` if there is none. */
  #argumentIndex(args: readonly string[]): number {
    for (let index = 0; index < args.length; index++) {
      const arg = args[index]!;
      if (arg === '--') break;
      if (!isOption(arg)) return index;
      // `--option=value` matches no option here, and no value follows it.
      if (this.options.find(({ short, long }) => arg === long || arg === short)?.required) index++;
    }
    return args.length;
  }
}

function isOption(arg: string): boolean {
  return arg.length > 1 && arg.startsWith('-');
}
