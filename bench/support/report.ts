/** Target of a figure. */
export interface Target {
  readonly of: 'value' | 'ratio';
  readonly least?: number;
  readonly most?: number;
}

/** A measured number, with the bare baseline of the same run if there is one. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  /** `ms`, `/s`, `MB`, … */
  readonly unit: string;
  readonly baseline?: { readonly name: string; readonly value: number };
  readonly target?: Target;
}

export interface Check {
  readonly what: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** A table of figures. */
export interface Table {
  readonly title: string;
  readonly header: readonly string[];
  /** Numbers are shares; undefined means that there was nothing to measure. */
  readonly rows: readonly (readonly (string | number | undefined)[])[];
}

/** Result of one benchmark. */
export interface BenchmarkResult {
  readonly benchmark: string;
  readonly figures: readonly (Figure & { ratio?: number; reached?: boolean })[];
  readonly tables: readonly Table[];
  readonly checks: readonly Check[];
  readonly notes: readonly string[];
}

/** Collects the results of a benchmark. Its checks prove that it measured correct answers. */
export class Report {
  readonly #benchmark: string;
  readonly #figures: Figure[] = [];
  readonly #tables: Table[] = [];
  readonly #checks: Check[] = [];
  readonly #notes: string[] = [];

  constructor(benchmark: string) {
    this.#benchmark = benchmark;
  }

  figure(figure: Figure): void {
    this.#figures.push(figure);
  }

  table(table: Table): void {
    this.#tables.push(table);
  }

  check(what: string, ok: boolean, detail = ''): void {
    this.#checks.push({ what, ok, detail });
  }

  note(text: string): void {
    this.#notes.push(text);
  }

  result(): BenchmarkResult {
    return {
      benchmark: this.#benchmark,
      figures: this.#figures.map((figure) => {
        const ratio = figure.baseline && figure.value / figure.baseline.value;
        const reached = reaches(figure, ratio);
        return {
          ...figure,
          ...(ratio !== undefined && { ratio }),
          ...(reached !== undefined && { reached }),
        };
      }),
      tables: this.#tables,
      checks: this.#checks,
      notes: this.#notes,
    };
  }
}

function reaches({ value, target }: Figure, ratio: number | undefined): boolean | undefined {
  if (!target) return undefined;
  const measured = target.of === 'ratio' ? ratio : value;
  if (measured === undefined) return false;
  return measured >= (target.least ?? -Infinity) && measured <= (target.most ?? Infinity);
}

/** Formats the result for people. */
export function printResult({ benchmark, figures, tables, checks, notes }: BenchmarkResult): void {
  const rows = figures.map(({ name, value, unit, baseline, ratio, target, reached }) => [
    name,
    `${short(value)} ${unit}`,
    baseline ? `${short(baseline.value)} ${unit} ${baseline.name}` : '',
    ratio === undefined ? '' : `${ratio.toFixed(2)}x`,
    target ? `${wanted(target)} ${reached ? 'yes' : 'NO'}` : '',
  ]);
  console.log(`\n${benchmark}`);
  if (rows.length > 0) printTable([['figure', 'measured', 'bare', 'ratio', 'wanted'], ...rows]);
  for (const { title, header, rows: lines } of tables) {
    console.log(`\n  ${title}`);
    printTable([header, ...lines.map((line) => line.map(asCell))]);
  }
  for (const { what, ok, detail } of checks) {
    console.log(`  ${ok ? 'checked' : 'WRONG  '} ${what}${detail === '' ? '' : ` (${detail})`}`);
  }
  for (const note of notes) console.log(`  note: ${note}`);
}

function printTable(rows: readonly (readonly string[])[]): void {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  for (const row of rows) {
    console.log(`  ${row.map((cell, column) => cell.padEnd(widths[column]!)).join('  ')}`.trimEnd());
  }
}

function asCell(value: string | number | undefined): string {
  return typeof value === 'number' ? value.toFixed(3) : (value ?? '');
}

function wanted({ of, least, most }: Target): string {
  const unit = of === 'ratio' ? 'x' : '';
  return least === undefined ? `<= ${most}${unit}` : `>= ${least}${unit}`;
}

function short(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}
