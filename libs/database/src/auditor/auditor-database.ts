import type { Database } from '../database.js';

/** The service's database through a role that reads everything and writes nothing. */
export abstract class AuditorDatabase {
  abstract query: Database['query'];
}
