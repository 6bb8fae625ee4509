import { useEffect, useRef, useState } from 'preact/hooks';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

export interface Series {
  readonly name: string;
  readonly values: readonly (number | null)[];
}

interface ChartProps {
  /** Unix times in seconds, ascending; or any numbers with `isTime` false. */
  readonly x: readonly number[];
  readonly series: readonly Series[];
  readonly isTime?: boolean;
  /** What the chart shows, for readers who do not see it. */
  readonly label: string;
  readonly height?: number;
}

/** Lines over time. Colours come from the style sheet, so they follow light and dark. */
export function Chart({ x, series, isTime = true, label, height = 220 }: ChartProps) {
  const element = useRef<HTMLDivElement>(null);
  const isDark = useDarkColours();
  useEffect(() => {
    const target = element.current!;
    const colour = (name: string): string => colourOf(target, name);
    const axis = {
      stroke: colour('--text-muted'),
      grid: { stroke: colour('--line') },
      ticks: { stroke: colour('--line') },
    };
    const plot = new UPlot(
      {
        width: target.clientWidth,
        height,
        scales: { x: { time: isTime } },
        axes: [axis, axis],
        series: [
          {},
          ...series.map(({ name }, index) => ({
            label: name,
            stroke: colour(`--series-${(index % 4) + 1}`),
            width: 2,
          })),
        ],
      },
      [[...x], ...series.map(({ values }) => [...values])] as UPlot.AlignedData,
      target,
    );
    const resize = new ResizeObserver(() => plot.setSize({ width: target.clientWidth, height }));
    resize.observe(target);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [JSON.stringify(x), JSON.stringify(series), isTime, height, isDark]);
  return <div ref={element} class="chart" role="img" aria-label={label} />;
}

/** A colour of the style sheet as a canvas understands it, which knows neither `var()` nor `light-dark()`. */
function colourOf(target: HTMLElement, name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  target.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Whether the reader's system asks for dark colours; renders again when that changes. */
function useDarkColours(): boolean {
  const [query] = useState(() => matchMedia('(prefers-color-scheme: dark)'));
  const [isDark, setDark] = useState(query.matches);
  useEffect(() => {
    const update = () => setDark(query.matches);
    query.addEventListener('change', update);
    return () => query.removeEventListener('change', update);
  }, [query]);
  return isDark;
}
