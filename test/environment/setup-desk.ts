/** The desk lane has PostgreSQL alone. */
export { setupPostgres as default } from './setup.js';
