import { childAt, childrenOf, type XmlElement } from './xml.ts';

/** Formats that are not written in the file. 27 to 36 and 50 to 58 are dates of East Asia. */
const builtInDates = /^(?:1[4-9]|2[0-2]|2[7-9]|3[0-6]|4[5-7]|5[0-8])$/;
const builtInPatterns: Readonly<Record<string, string>> = {
  1: '0',
  2: '0.00',
  4: '#,##0.00',
  9: '0%',
  10: '0.00%',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  32: 'h:mm',
  33: 'h:mm:ss',
  39: '#,##0.00',
  40: '#,##0.00',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss.0',
};
const secondsOfDay = 86_400;
/** Day 0 of the calendar of Excel, as if 1900 had been no leap year, and of the calendar of old Macs. */
const epoch1900 = Date.UTC(1899, 11, 30);
const epoch1904 = Date.UTC(1904, 0, 1);
/** Serial number of 1 March 1900. Excel counts a 29 February before it that never was. */
const firstSound = 61;
const maxSerial = 2_958_466;

type Kind = 'date' | 'duration' | 'percent' | 'number';

interface Format {
  readonly kind: Kind;
  /** Digits after the point that are always shown. */
  readonly decimals: number;
}

/** Formats numbers as the cells of a workbook show them, but dates as ISO 8601 and without separators of thousands. */
export class NumberFormats {
  readonly #formats: readonly Format[];
  readonly #isFrom1904: boolean;

  /** Takes the part `styles.xml`, if there is one, and whether the calendar begins in 1904. */
  constructor(styles: XmlElement | undefined, isFrom1904: boolean) {
    const patterns = new Map(
      childrenOf(childAt(styles, 'numFmts'), 'numFmt').map(({ attributes }) => [
        attributes['numFmtId'] ?? '',
        attributes['formatCode'] ?? '',
      ]),
    );
    this.#formats = childrenOf(childAt(styles, 'cellXfs'), 'xf').map(({ attributes }) => {
      const id = attributes['numFmtId'] ?? '0';
      return formatOf(id, patterns.get(id));
    });
    this.#isFrom1904 = isFrom1904;
  }

  /** The text of a cell with the number `value`; `style` is the index of its format. */
  format(value: string, style: string | undefined): string {
    const number = Number(value);
    if (value.trim() === '' || !Number.isFinite(number)) return value.trim();
    const { kind, decimals } = this.#formats[Number(style ?? 0)] ?? { kind: 'number', decimals: 0 };
    if (kind === 'date' && number >= 0 && number < maxSerial) return this.#dateOf(number);
    if (kind === 'duration') return durationOf(number);
    return kind === 'percent' ? `${textOfNumber(number * 100, decimals)}%` : textOfNumber(number, decimals);
  }

  /** A date, a date and time, or a time of day for numbers below 1. */
  #dateOf(serial: number): string {
    const seconds = Math.round(serial * secondsOfDay);
    const time = seconds % secondsOfDay;
    const days = (seconds - time) / secondsOfDay;
    const clock = new Date(time * 1000).toISOString().slice(11, time % 60 === 0 ? 16 : 19);
    if (days === 0 && !this.#isFrom1904) return clock;
    const correction = this.#isFrom1904 || days >= firstSound ? 0 : 1;
    const epoch = this.#isFrom1904 ? epoch1904 : epoch1900;
    const date = new Date(epoch + (days + correction) * secondsOfDay * 1000).toISOString().slice(0, 10);
    return time === 0 ? date : `${date}T${clock}`;
  }
}

function formatOf(id: string, pattern: string | undefined): Format {
  const code = (pattern ?? builtInPatterns[id] ?? '').split(';', 1)[0]!.replaceAll(/"[^"]*"|\\.|_.|\*./g, '');
  const decimals = /[0#?]\.(0+)/.exec(code)?.[1]?.length ?? 0;
  if (/\[(?:h+|m+|s+)\]/i.test(code)) return { kind: 'duration', decimals };
  const plain = code.replaceAll(/\[[^\]]*\]/g, '');
  const isDate =
    pattern === undefined
      ? builtInDates.test(id)
      : /[ymdhs]/i.test(plain.replaceAll(/general|standard/gi, '')) &&
        !/[0#?]/.test(plain.replaceAll(/s\.?0+/gi, 's'));
  if (isDate) return { kind: 'date', decimals };
  return { kind: plain.includes('%') ? 'percent' : 'number', decimals };
}

/** Digits as they were entered: what is behind the fifteenth comes from binary fractions. */
function textOfNumber(value: number, decimals: number): string {
  const exact = String(Number(value.toPrecision(15)));
  if (exact.includes('e') || decimals === 0) return exact;
  const [, fraction = ''] = exact.split('.');
  return fraction.length >= decimals ? exact : value.toFixed(decimals);
}

function durationOf(days: number): string {
  const seconds = Math.round(Math.abs(days) * secondsOfDay);
  const pad = (part: number) => String(part).padStart(2, '0');
  const clock = `${Math.floor(seconds / 3600)}:${pad(Math.floor(seconds / 60) % 60)}`;
  return `${days < 0 ? '-' : ''}${clock}${seconds % 60 === 0 ? '' : `:${pad(seconds % 60)}`}`;
}
