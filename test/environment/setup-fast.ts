/** The set-up of the fast specs, which need only PostgreSQL. */
export { setupPostgres as default } from './setup.js';
