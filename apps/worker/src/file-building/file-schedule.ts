import { DATASETS, type Dataset } from '#libs/contracts';
import { DAY_MS, HOUR_MS } from '#libs/platform';
import { cadenceOf, dayOf } from '../files/file-edition.js';

/** The hours after the end of a day at which its files are built. The files are available by 06:00 and by 18:00. */
const RUN_HOURS = [3, 15];
/** Full downloads are built on Sundays. */
const FULL_WEEKDAY = 0;
/** The hour at which full downloads are built, after the previous day's files. */
const FULL_HOUR = 7;
/** The number of past days whose files are still built if no process was running when they were due. */
const CAUGHT_UP_DAYS = 3;

/** A file that must be built unless an edition has been built since `dueAt`. */
export interface DueFile {
  dataset: Dataset;
  day: string;
  dueAt: Date;
}

/**
 * Lists the files that should exist, and when they were last due. The oldest file of each dataset comes first, because
 * each file is compared with the previous one.
 */
export function dueFiles(now: Date): DueFile[] {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  const daily = DATASETS.filter((dataset) => cadenceOf(dataset) === 'daily');
  const due: DueFile[] = [];
  for (let back = CAUGHT_UP_DAYS; back >= 1; back--) {
    const day = today - back * DAY_MS;
    const runs = RUN_HOURS.map((hour) => day + DAY_MS + hour * HOUR_MS);
    const last = runs.findLast((at) => at <= now.getTime());
    if (last === undefined) continue;
    due.push(...daily.map((dataset) => ({ dataset, day: dayText(day), dueAt: new Date(last) })));
  }
  return [...due, ...fullFiles(now, today)];
}

/**
 * Whether a withheld file is built from the current data of the corpus. Older and full files keep their rows, because
 * the current data is not that of their day.
 */
export function isBuiltAnew({ dataset, day }: Omit<DueFile, 'dueAt'>, now: Date): boolean {
  const due = dueFiles(now).some((file) => file.dataset === dataset && file.day === day);
  return due && cadenceOf(dataset) === 'daily';
}

function fullFiles(now: Date, today: number): DueFile[] {
  const weekday = new Date(today).getUTCDay();
  let day = today - ((weekday - FULL_WEEKDAY + 7) % 7) * DAY_MS;
  if (day + FULL_HOUR * HOUR_MS > now.getTime()) day -= 7 * DAY_MS;
  const dueAt = new Date(day + FULL_HOUR * HOUR_MS);
  const full = DATASETS.filter((dataset) => cadenceOf(dataset) === 'weekly');
  return full.map((dataset) => ({ dataset, day: dayText(day), dueAt }));
}

const dayText = (at: number) => dayOf(new Date(at));
