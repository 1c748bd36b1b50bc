import { SystemClock } from '#libs/platform';
import { FileClock } from './file-clock.js';

/**
 * This module is loaded before a service's own code (`--import`), so that the service reads its business time from the
 * file in `TEST_CLOCK_FILE`. `Date` itself stays real, because clients of brokers and databases use it for their
 * timeouts.
 */
const path = process.env.TEST_CLOCK_FILE;
if (path) {
  const clock = FileClock.follow(path);
  SystemClock.prototype.now = () => clock.now();
}
