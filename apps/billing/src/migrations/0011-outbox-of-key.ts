import type { Migration } from '#libs/database';
import { outboxOfKeyIndex } from '#libs/messaging';

export const outboxOfKey: Migration = {
  name: '0011-outbox-of-key',
  sql: outboxOfKeyIndex,
  isTransactional: false,
};
