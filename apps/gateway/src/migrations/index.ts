import type { Migration } from '#libs/database';
import { messaging } from './0001-messaging.js';

/** In order; released ones are never edited. */
export const migrations: Migration[] = [messaging];
