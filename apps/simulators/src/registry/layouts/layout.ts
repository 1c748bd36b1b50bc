import type { Registration } from '../../registrations/registration.js';

/** One registry's answers on port 43. Lines end in LF here; the server sends CRLF. */
export interface Layout {
  found(registration: Registration): string;
  notFound(domain: string): string;
  reserved?(domain: string): string;
  throttled: string;
}

/** Formats a date as `2031-05-09`. */
export function day(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** Formats a date as `2031-05-09T12:30:01Z`. */
export function second(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

/** Formats the time of a date as `12:30:01`. */
export function time(date: Date): string {
  return date.toISOString().slice(11, 19);
}

/** Inserts day, month and year into a pattern such as `{d}/{m}/{y}`; `{b}` is `Jan`. */
export function formatted(date: Date, pattern: string): string {
  const [y = '', m = '', d = ''] = day(date).split('-');
  const values: Record<string, string> = { y, m, d, b: MONTHS[Number(m) - 1] ?? '' };
  return pattern.replace(/\{([a-zA-Z])\}/g, (_, part: string) => values[part] ?? '');
}

export function lines(values: string[], line: (value: string) => string): string {
  return values.map(line).join('\n');
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
