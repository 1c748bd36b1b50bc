import { counted } from '#libs/platform';

const [MINUTE, HOUR, DAY] = [60, 3_600, 86_400];

/** Returns an estimated duration, rounded up: `about 3 minutes`. */
export function durationWords(seconds: number): string {
  if (seconds < MINUTE) return 'less than a minute';
  if (seconds < 2 * HOUR) return `about ${counted(Math.ceil(seconds / MINUTE), 'minute')}`;
  if (seconds < 2 * DAY) return `about ${counted(Math.ceil(seconds / HOUR), 'hour')}`;
  return `about ${counted(Math.ceil(seconds / DAY), 'day')}`;
}
