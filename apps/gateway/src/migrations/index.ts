import type { Migration } from '#libs/database';

/** In order; released ones are never edited. */
export const migrations: Migration[] = [];
