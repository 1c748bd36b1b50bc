import { DailyCredits } from './daily-credits.js';
import { SharedRepeats } from './shared-repeats.js';
import { SharedRequestWindow } from './shared-request-window.js';

/** Memory that the threads of one process count in together; passed to each thread as it is. */
export interface SharedCounters {
  window: SharedArrayBuffer;
  repeats: SharedArrayBuffer;
  dailyCredits: SharedArrayBuffer;
}

export function createSharedCounters(): SharedCounters {
  return {
    window: SharedRequestWindow.memory(),
    repeats: SharedRepeats.memory(),
    dailyCredits: DailyCredits.memory(),
  };
}
