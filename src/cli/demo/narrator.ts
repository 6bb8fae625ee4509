import { styleText } from 'node:util';
import { Presets, SingleBar } from 'cli-progress';
import type { Connection } from '../client.ts';
import { printJson } from '../output.ts';
import type { DemoFacts } from './run.ts';
import { wrapped } from './wrap.ts';

const chapters = 12;
/** Measured on two cores that did nothing else. */
const typicalSeconds = 55;
const indent = '   ';
const widths = { least: 60, most: 100 };

/** Prints the demo as text; with `--json`, prints only the facts at the end. */
export class Narrator {
  readonly #printsText: boolean;
  readonly #width: number;
  #chapter = 0;

  constructor(printsText: boolean, columns: number | undefined = process.stdout.columns) {
    this.#printsText = printsText;
    this.#width = Math.min(Math.max(columns ?? widths.most, widths.least), widths.most);
  }

  begin(): void {
    this.#print(
      `A tour of Stratalog in ${chapters} chapters: about ${typicalSeconds} s on two processor cores, longer on a busy machine. A server starts with an empty store, and everything below is what it answers over HTTP. Each chapter begins with what comes, and ends (→) with what that shows.`,
      '',
      'bold',
    );
  }

  /** A heading, and what will be seen. */
  chapter(title: string, what: string): void {
    this.#chapter++;
    this.#line(`\n${styleText(['bold', 'cyan'], `${this.#chapter} of ${chapters}. ${title}`)}`);
    this.note(what);
    this.gap();
  }

  /** The last line of a chapter: what its output shows. */
  shows(text: string): void {
    this.gap();
    this.#print(`→ ${text}`, indent, 'green');
  }

  say(text: string): void {
    this.#print(text, indent);
  }

  note(text: string): void {
    this.#print(text, indent, 'dim');
  }

  /** Stored text, whole. */
  quote(text: string): void {
    this.#print(text, `${indent}  │ `);
  }

  question(text: string): void {
    this.#print(`“${text}”`, indent, 'bold');
  }

  gap(): void {
    this.#line('');
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
      { format: `${indent}${label} {bar} {value}/{total}`, clearOnComplete: true },
      Presets.shades_grey,
    );
    bar.start(total, 0);
    try {
      return await work((done) => bar.update(Math.min(Math.round(done), total)));
    } finally {
      bar.stop();
    }
  }

  end(seconds: number, profile: string, facts: DemoFacts): void {
    if (!this.#printsText) return printJson({ ...facts, seconds });
    this.gap();
    this.#print(
      profile === 'embedded'
        ? `Done in ${seconds.toFixed(0)} s. All of it came out of one process and one folder: no service, no network, no language model.`
        : `Done in ${seconds.toFixed(0)} s, on the profile ${profile}.`,
      '',
      'bold',
    );
  }

  /** Says how to look at the data of the demo in the console. */
  offersConsole(): void {
    this.#line(`\nTo look at its data in the web console: npm run demo -- --serve`);
  }

  /** The key belongs to the tenant that the demo created; undefined with the development identity. */
  kept({ url, key }: Connection, hasConsole: boolean): void {
    if (hasConsole) this.#line(`\nLook at all of it in the console: ${styleText('bold', `${url}/console`)}`);
    if (hasConsole && key !== undefined) this.#line(`It asks for a key, this one: ${key}`);
    this.#line(
      `\nThe server is still running at ${styleText('bold', url)} (API: ${url}/docs). Stop it with Ctrl-C. Try:`,
    );
    this.#line(
      `${indent}npx stratalog search "who may approve a release?" --url ${url}${key === undefined ? '' : ` --key ${key}`}`,
    );
  }

  #print(text: string, before: string, style?: 'bold' | 'dim' | 'green'): void {
    for (const line of wrapped(text, this.#width - before.length))
      this.#line(`${before}${style === undefined ? line : styleText(style, line)}`.trimEnd());
  }

  #line(text: string): void {
    if (this.#printsText) console.log(text);
  }
}
