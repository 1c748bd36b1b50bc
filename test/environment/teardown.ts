/** Stops the servers of a run. */
export { teardown as default } from './setup.js';
