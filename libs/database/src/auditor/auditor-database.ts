import type { Database } from '../database.js';

/** The service's database through a role that can read everything and write nothing. */
export abstract class AuditorDatabase {
  abstract query: Database['query'];
}
