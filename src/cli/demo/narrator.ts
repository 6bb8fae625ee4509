import { styleText } from 'node:util';
import { Presets, SingleBar } from 'cli-progress';
import type { Connection } from '../client.ts';
import { preview, printJson } from '../output.ts';
import type { DemoFacts } from './run.ts';

const width = 100;

/** Prints the demo as text; with `--json`, prints only the facts at the end. */
export class Narrator {
  readonly #printsText: boolean;
  #chapter = 0;

  constructor(printsText: boolean) {
    this.#printsText = printsText;
  }

  chapter(title: string): void {
    this.#chapter++;
    this.say(`\n${styleText(['bold', 'cyan'], `${this.#chapter}. ${title}`)}`);
  }

  say(text: string): void {
    if (this.#printsText) console.log(text);
  }

  note(text: string): void {
    this.say(styleText('dim', `   ${text}`));
  }

  question(text: string, how: string): void {
    this.say(`\n   ${styleText('bold', `“${text}”`)}${how === '' ? '' : `  ${styleText('yellow', how)}`}`);
  }

  hit(rank: number, score: number, layer: string, where: string, content: string, right: boolean): void {
    const mark = right ? styleText('green', '✓') : ' ';
    const head = `   ${mark} ${rank}. ${score.toFixed(2)}  ${styleText('magenta', layer.padEnd(8))}${styleText('dim', preview(where, 26).padEnd(27))}`;
    this.say(`${head}${preview(content, width - 42)}`);
  }

  /** Shows a progress bar while `work` runs; `work` reports how much is done. */
  async progress<T>(
    label: string,
    total: number,
    work: (update: (done: number) => void) => Promise<T>,
  ): Promise<T> {
    if (!this.#printsText || !process.stdout.isTTY) {
      this.note(`${label} …`);
      return work(() => {});
    }
    const bar = new SingleBar(
      { format: `   ${label} {bar} {value}/{total}`, clearOnComplete: true },
      Presets.shades_grey,
    );
    bar.start(total, 0);
    try {
      return await work((done) => bar.update(Math.min(done, total)));
    } finally {
      bar.stop();
    }
  }

  end(seconds: number, profile: string, facts: DemoFacts): void {
    if (!this.#printsText) return printJson({ ...facts, seconds });
    this.say(
      `\n${styleText(['bold', 'green'], `Done in ${seconds.toFixed(0)} s.`)} ${profile === 'embedded' ? 'Every line above came out of one process and one folder: no service, no network, no LLM.' : `Every line above came from the profile ${profile}.`}`,
    );
  }

  /** The key belongs to the tenant that the demo created; undefined with the development identity. */
  kept({ url, key }: Connection): void {
    this.say(
      `\nThe server is still running at ${styleText('bold', url)} (API: ${url}/docs). Stop it with Ctrl-C. Try:`,
    );
    this.say(
      `   npx stratalog search "who may approve a release?" --url ${url}${key === undefined ? '' : ` --key ${key}`}`,
    );
  }
}
