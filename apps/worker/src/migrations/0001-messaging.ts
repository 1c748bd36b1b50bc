import type { Migration } from '#libs/database';
import { messagingTables } from '#libs/messaging';

export const messaging: Migration = { name: '0001-messaging', sql: messagingTables };
