import { html, type Html } from './html.ts';

export interface Bar {
  readonly name: string;
  /** Absent where there is nothing to show, which is not 0. */
  readonly value: number | undefined;
}

export interface BarChart {
  /** What the bars show, for those who do not see them. */
  readonly label: string;
  readonly bars: readonly Bar[];
  readonly textOf: (value: number) => string;
  /** Ends of the axis. Default: 0, and a round number above the largest value. */
  readonly min?: number;
  readonly max?: number;
}

const [width, height] = [680, 170];
const plot = { left: 52, right: width - 4, top: 10, bottom: height - 24 };
const maxLabels = 6;
const maxBarWidth = 40;
/** Half of the width of the longest name of a bar. */
const halfName = 38;

/** A bar chart as inline SVG, with the ends of its axis and some of the names. */
export function barChart({ label, bars, textOf, min = 0, max = roundAbove(largest(bars)) }: BarChart): Html {
  const step = (plot.right - plot.left) / Math.max(1, bars.length);
  const barWidth = Math.min(step * 0.76, maxBarWidth);
  const labelEvery = Math.ceil(bars.length / maxLabels);
  const y = (value: number) => plot.bottom - ((value - min) / (max - min)) * (plot.bottom - plot.top);
  const middle = (index: number) => plot.left + (index + 0.5) * step;

  const tick = (value: number): Html => {
    const at = round(y(value));
    const kind = value === 0 ? 'axis' : 'grid';
    return html`<line class="${kind}" x1="${plot.left}" x2="${plot.right}" y1="${at}" y2="${at}" />
      <text x="${plot.left - 6}" y="${at + 3.5}" text-anchor="end">${textOf(value)}</text>`;
  };
  const bar = ({ name, value = 0 }: Bar, index: number): Html => {
    const top = Math.min(y(0), y(value));
    return html`<rect
      x="${round(middle(index) - barWidth / 2)}"
      width="${round(barWidth)}"
      y="${round(top)}"
      height="${round(Math.abs(y(value) - y(0)))}"
      ><title>${name}: ${textOf(value)}</title></rect
    >`;
  };
  const nameOf = ({ name }: Bar, index: number): Html => {
    const x = Math.min(middle(index), plot.right - halfName);
    return html`<text x="${round(x)}" y="${height - 8}" text-anchor="middle">${name}</text>`;
  };

  return html`<svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">
    ${(min < 0 ? [min, 0, max] : [0, max / 2, max]).map(tick)}
    ${bars.map((one, index) => one.value !== undefined && bar(one, index))}
    ${bars.map((one, index) => index % labelEvery === 0 && nameOf(one, index))}
  </svg>`;
}

const largest = (bars: readonly Bar[]): number => Math.max(0, ...bars.map(({ value = 0 }) => value));

/** The next of 2, 4, 6, 8, 10, 20, 40 and so on, whose halves are whole. */
function roundAbove(value: number): number {
  let power = 1;
  while (10 * power < value) power *= 10;
  return [2, 4, 6, 8, 10].map((factor) => factor * power).find((end) => end >= value)!;
}

const round = (value: number): number => Math.round(value * 100) / 100;
