/** The longest time of a timer, 24 days: the pod is then started anew. */
const WAIT_MS = 2 ** 31 - 1;

// The actions of a pod for operator commands between them.
setTimeout(() => process.exit(0), WAIT_MS);
process.once('SIGTERM', () => process.exit(0));
