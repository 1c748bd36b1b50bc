/** The maximum delay of a timer: 24 days. After that, the process ends and its container is restarted. */
const WAIT_MS = 2 ** 31 - 1;

// This process does nothing but keep the pod running, so that operators can run commands in the pod.
setTimeout(() => process.exit(0), WAIT_MS);
process.once('SIGTERM', () => process.exit(0));
