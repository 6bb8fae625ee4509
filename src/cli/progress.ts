import { Presets, SingleBar } from 'cli-progress';

/** A progress bar on a terminal; nothing in a pipe, or with `--json`. */
export class Progress {
  readonly #bar: SingleBar | undefined;

  constructor(what: string, { json }: { readonly json: boolean }) {
    this.#bar =
      !json && process.stderr.isTTY
        ? new SingleBar(
            {
              format: `{bar} {percentage}%  {value} of {total} ${what}`,
              linewrap: true,
              gracefulExit: false,
            },
            Presets.shades_grey,
          )
        : undefined;
  }

  readonly update = (done: number, total: number): void => {
    if (!this.#bar) return;
    if (!this.#bar.isActive) this.#bar.start(total, done);
    this.#bar.setTotal(total);
    this.#bar.update(done);
  };

  stop(): void {
    this.#bar?.stop();
  }
}
