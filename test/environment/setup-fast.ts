/** The fast lane has only PostgreSQL. */
export { setupPostgres as default } from './setup.js';
