/** The longest delay of a timer, 24 days, after which the pod is restarted. */
const WAIT_MS = 2 ** 31 - 1;

// An idle pod for operator commands.
setTimeout(() => process.exit(0), WAIT_MS);
process.once('SIGTERM', () => process.exit(0));
