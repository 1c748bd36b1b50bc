import type { Migration } from '#libs/database';

export const failedRefunds: Migration = {
  name: '0019-failed-refunds',
  sql: `
    alter table reversals
      -- The failed refund that this one asks for again.
      add column retry_of uuid,
      -- Of a refund that failed: when it is asked for again. Null: never by itself.
      add column retry_at timestamptz,
      -- Of a refund that failed: since when nothing more is done about it, as another took its place or it was dismissed.
      add column closed_at timestamptz;
    -- Operators were told at once of those that were refused, and of no money that is wanted they were asked for again.
    update reversals f set closed_at = f.updated_at from payments p
      where p.id = f.payment_id and f.cause = 'refund' and f.state = 'undone' and f.external_id is null
        and p.is_announced and not p.is_unwanted;
    update reversals f set closed_at = f.updated_at
      where f.cause = 'refund' and f.state = 'undone' and f.closed_at is null
        and exists (select from reversals r where r.payment_id = f.payment_id and r.id <> f.id
          and r.cause = 'refund' and r.closed_at is null and r.created_at >= f.updated_at);
    update reversals f set retry_at = f.updated_at + interval '1 hour' from payments p
      where p.id = f.payment_id and f.cause = 'refund' and f.state = 'undone' and f.closed_at is null
        and f.reason is not null and p.returned_at is null and (p.is_unwanted or not p.is_announced);
  `,
};
