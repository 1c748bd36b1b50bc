import type { Migration } from '#libs/database';
import { mailTables } from '#libs/mail';

export const mail: Migration = { name: '0007-mail', sql: mailTables };
