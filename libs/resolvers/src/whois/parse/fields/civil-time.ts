/** A wall-clock time and its offset from UTC. */
export interface CivilTime {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  /** Minutes east of UTC. */
  offsetMinutes: number;
}

export const OFFSET_MINUTES_MAX = 14 * 60;

const MONTH_DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const MINUTES_PER_DAY = 1440;

/** True for a day from 1970 to 2999 that exists. */
export function isCalendarDay(year: number, month: number, day: number): boolean {
  if (year < 1970 || year > 2999 || month < 1 || month > 12 || day < 1) return false;
  if (month === 2 && day === 29) return isLeapYear(year);
  return day <= MONTH_DAYS[month - 1];
}

/** Formats a day as `YYYY-MM-DD`. */
export function dayText(year: number, month: number, day: number): string {
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
}

/** Formats a time as RFC 3339 in UTC, with second precision. */
export function utcText(time: CivilTime): string {
  let minutes = time.hour * 60 + time.minute - time.offsetMinutes;
  let { year, month, day } = time;
  while (minutes < 0) {
    minutes += MINUTES_PER_DAY;
    [year, month, day] = dayBefore(year, month, day);
  }
  while (minutes >= MINUTES_PER_DAY) {
    minutes -= MINUTES_PER_DAY;
    [year, month, day] = dayAfter(year, month, day);
  }
  const clock = [Math.floor(minutes / 60), minutes % 60, time.second].map((part) => pad(part, 2));
  return `${dayText(year, month, day)}T${clock.join(':')}Z`;
}

/** Formats a time as RFC 3339, with its offset. */
export function zonedText(time: CivilTime): string {
  const { year, month, day, hour, minute, second, offsetMinutes } = time;
  const offset = Math.abs(offsetMinutes);
  const zone = [Math.floor(offset / 60), offset % 60].map((part) => pad(part, 2)).join(':');
  const clock = [hour, minute, second].map((part) => pad(part, 2)).join(':');
  return `${dayText(year, month, day)}T${clock}${offsetMinutes < 0 ? '-' : '+'}${zone}`;
}

function dayBefore(year: number, month: number, day: number): [number, number, number] {
  if (day > 1) return [year, month, day - 1];
  if (month > 1) return [year, month - 1, daysIn(year, month - 1)];
  return [year - 1, 12, 31];
}

function dayAfter(year: number, month: number, day: number): [number, number, number] {
  if (day < daysIn(year, month)) return [year, month, day + 1];
  if (month < 12) return [year, month + 1, 1];
  return [year + 1, 1, 1];
}

function daysIn(year: number, month: number): number {
  return month === 2 && !isLeapYear(year) ? 28 : MONTH_DAYS[month - 1];
}

function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

function pad(part: number, width: number): string {
  return String(part).padStart(width, '0');
}
