import type { Count } from './counts.ts';

/** Such as `12,345`. */
export const number = (value: number): string => value.toLocaleString('en');

/** US dollars; small amounts with four digits. */
export const usd = (value: number): string =>
  `$${value.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: value !== 0 && Math.abs(value) < 1 ? 4 : 2 })}`;

/** Such as `2026-11-29 23:20:58`, for columns that name the zone. */
export const time = (at: string): string => `${at.slice(0, 10)} ${at.slice(11, 19)}`;

/** Such as `2026-11-29 23:20:58 UTC`. */
export const utc = (at: string): string => `${time(at)} UTC`;

/** Such as `+0.143`. */
export const signed = (value: number): string =>
  `${value > 0 ? '+' : value < 0 ? '−' : ''}${Math.abs(value).toFixed(3)}`;

export const percent = (share: number): string => `${Math.round(100 * share)} %`;

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${number(count)} ${count === 1 ? one : many}`;

/** Such as `161 used, 24 refined`. */
export const counted = (counts: readonly Count[] = []): string =>
  counts.map(({ name, count }) => `${number(count)} ${name.replaceAll(/[_-]/g, ' ')}`).join(', ') || 'none';
