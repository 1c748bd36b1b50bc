import { SystemClock } from '#libs/platform';
import { FileClock } from './file-clock.js';

/**
 * Loaded before a service's own code (`--import`): its business time comes from the file that
 * `TEST_CLOCK_FILE` names. `Date` itself is left alone, for clients of brokers and databases time
 * their own waiting with it.
 */
const path = process.env.TEST_CLOCK_FILE;
if (path) {
  const clock = FileClock.follow(path);
  SystemClock.prototype.now = () => clock.now();
}
