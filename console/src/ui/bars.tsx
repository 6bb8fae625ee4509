import type { Bar } from './bar.ts';
import { rounded } from './rounded.ts';

interface BarsProps {
  readonly bars: readonly Bar[];
  /** The value that fills the whole width; the largest of the bars by default. */
  readonly largest?: number;
  /** What the bars show, for readers who do not see them. */
  readonly label: string;
}

/** Values as horizontal bars with their numbers. */
export function Bars({ bars, largest, label }: BarsProps) {
  const full = largest ?? Math.max(...bars.map(({ value }) => Math.abs(value)), Number.EPSILON);
  return (
    <table class="bars" aria-label={label}>
      <tbody>
        {bars.map(({ name, value, text, note }) => (
          <tr key={name}>
            <th scope="row" title={note}>
              {name}
            </th>
            <td class="bar">
              <span
                class={value < 0 ? 'negative' : 'positive'}
                style={{ width: `${Math.min(100, (Math.abs(value) / full) * 100)}%` }}
              />
            </td>
            <td class="number">{text ?? rounded(value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
