import { type Migration, numberSeriesTable } from '#libs/database';

/** The work queue of release 0.1.0; later releases use another table. */
const workItemTable = `
create table work_item (
  id uuid primary key,
  queue text not null,
  -- What the work is about: named twice, it is done once.
  name text not null,
  payload jsonb not null,
  state text not null default 'waiting' check (state in ('waiting', 'dead')),
  attempts integer not null default 0,
  reason text,
  -- By the service's clock; a claim is technical and ends by the database's.
  due_at timestamptz not null,
  claim uuid,
  claimed_until timestamptz not null default '-infinity',
  added_at timestamptz not null,
  unique (queue, name)
) with (fillfactor = 70);
create index work_item_due on work_item (queue, due_at) where state = 'waiting';
create index work_item_dead on work_item (queue, id) where state = 'dead';
`;

export const invoices: Migration = {
  name: '0007-invoices',
  sql: `
    ${numberSeriesTable}
    ${workItemTable}
    -- What a payment or its return comes to, for the books: never changed, kept for ten years.
    create table invoices (
      id uuid primary key,
      account_id uuid not null,
      kind text not null check (kind in ('invoice', 'credit_note', 'debit_note')),
      series text not null,
      number integer not null check (number > 0),
      payment_id uuid not null references payments,
      -- What a credit or debit note belongs to.
      reversal_id uuid references reversals,
      corrects text,
      lines jsonb not null,
      tax_micros bigint not null check (tax_micros >= 0),
      total_micros bigint not null check (total_micros >= tax_micros),
      is_reverse_charge boolean not null check (not is_reverse_charge or tax_micros = 0),
      currency text not null,
      seller jsonb not null,
      paid_by jsonb not null,
      issued_at timestamptz not null,
      unique (series, number),
      check ((kind = 'invoice') = (reversal_id is null and corrects is null))
    );
    create unique index invoices_payment on invoices (payment_id) where kind = 'invoice';
    create index invoices_of_payment on invoices (payment_id);
    create index invoices_account on invoices (account_id, id);
    create index invoices_by_time on invoices (account_id, issued_at);
    -- A document as it was printed; what names its buyer is encrypted.
    create table invoice_revisions (
      invoice_id uuid not null references invoices,
      revision integer not null check (revision > 0),
      account_id uuid not null,
      buyer bytea not null,
      pdf bytea not null,
      -- Of the document before its encryption.
      sha256 bytea not null check (length(sha256) = 32),
      printed_at timestamptz not null,
      primary key (invoice_id, revision)
    );
    create index invoice_revisions_account on invoice_revisions (account_id, invoice_id);
    -- Encrypts what an account's invoices of a year say of a person; destroyed when the law no longer
    -- wants them kept.
    create table invoice_data_keys (
      account_id uuid not null,
      year integer not null,
      wrapped_key bytea not null,
      created_at timestamptz not null,
      primary key (account_id, year)
    );
    -- By which tax id the tax of an order, of a subscription's next period or of an invoice was decided,
    -- encrypted with the key of that year.
    create table judged_tax_ids (
      account_id uuid not null,
      subject_id uuid not null,
      year integer not null,
      tax_id bytea not null,
      primary key (account_id, subject_id)
    );
    create index invoice_data_keys_year on invoice_data_keys (year);
    revoke update, delete, truncate on invoices, invoice_revisions from billing, billing_maintenance;
  `,
};
