import { type Migration, idempotencyTable } from '#libs/database';

export const idempotency: Migration = { name: '0004-idempotency', sql: idempotencyTable };
