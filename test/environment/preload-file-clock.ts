import { SystemClock } from '#libs/platform';
import { FileClock } from './file-clock.js';

/**
 * Loaded before a service's own code (`--import`), so that its business time comes from the file named by
 * `TEST_CLOCK_FILE`. `Date` itself stays real, because clients of brokers and databases use it for their timeouts.
 */
const path = process.env.TEST_CLOCK_FILE;
if (path) {
  const clock = FileClock.follow(path);
  SystemClock.prototype.now = () => clock.now();
}
