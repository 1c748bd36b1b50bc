import type { Migration } from '#libs/database';
import { mailTables } from '#libs/mail';

export const mail: Migration = { name: '0004-mail', sql: mailTables };
