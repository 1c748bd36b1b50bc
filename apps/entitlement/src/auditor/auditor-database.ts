import type { Database } from '#libs/database';

/** The service's database through a role that reads everything and writes nothing. */
export abstract class AuditorDatabase {
  abstract query: Database['query'];
}
