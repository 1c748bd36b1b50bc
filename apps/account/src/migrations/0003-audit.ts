import type { Migration } from '#libs/database';

export const audit: Migration = {
  name: '0003-audit',
  sql: `
    create table audit (
      position bigint primary key,
      id uuid not null unique,
      occurred_at timestamptz not null,
      account_id uuid,
      actor text not null,
      action text not null,
      object text not null,
      before_hash bytea,
      after_hash bytea,
      -- Address and user agent, sealed with the account's data key: the chain outlives erasure.
      origin bytea,
      request_id text not null,
      previous_hash bytea not null,
      hash bytea not null
    );
    create index audit_by_account on audit (account_id, position);

    -- The end of the chain. Without it, rows cut off the end would not be missed.
    create table audit_head (
      only_row boolean primary key default true check (only_row),
      position bigint not null,
      hash bytea not null
    );
    insert into audit_head (position, hash) values (0, decode(repeat('00', 32), 'hex'));

    create function refuse_audit_change() returns trigger language plpgsql as $$
    begin
      raise exception 'the audit log is append-only';
    end $$;
    create trigger audit_append_only before update or delete or truncate on audit
      for each statement execute function refuse_audit_change();
    revoke update, delete, truncate on audit from account, account_maintenance;
    revoke insert, delete on audit_head from account, account_maintenance;
  `,
};
