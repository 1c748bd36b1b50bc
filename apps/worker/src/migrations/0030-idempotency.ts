import { type Migration, idempotencyTable } from '#libs/database';

export const idempotency: Migration = { name: '0030-idempotency', sql: idempotencyTable };
