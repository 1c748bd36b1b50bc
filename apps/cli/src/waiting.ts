/** The maximum delay of a timer: 24 days. After that, the process ends and its container is restarted. */
const WAIT_MS = 2 ** 31 - 1;

// This process only keeps the pod running in which operators run commands.
setTimeout(() => process.exit(0), WAIT_MS);
process.once('SIGTERM', () => process.exit(0));
