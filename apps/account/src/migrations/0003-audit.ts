import type { Migration } from '#libs/database';

export const audit: Migration = {
  name: '0003-audit',
  sql: `
    -- One chain per account, and one for what belongs to none: no customer waits for another's entry.
    create table audit (
      -- The account's id; all zeros for the installation's chain.
      chain uuid not null,
      position bigint not null,
      id uuid not null unique,
      occurred_at timestamptz not null,
      actor text not null,
      action text not null,
      object text not null,
      before_hash bytea,
      after_hash bytea,
      -- Address and user agent, encrypted with the account's data key: the chain outlives erasure.
      origin bytea,
      request_id text not null,
      previous_hash bytea not null,
      hash bytea not null,
      primary key (chain, position)
    );

    create index audit_by_time on audit (chain, occurred_at);

    -- The end of each chain. Without it, rows cut off the end would not be missed.
    create table audit_heads (
      chain uuid primary key,
      position bigint not null,
      hash bytea not null
    ) with (fillfactor = 70);

    -- Signed ends are kept elsewhere; a signature covers the hash of an anchor, and through it the heads
    -- of all chains that grew since the anchor before it.
    create table audit_anchors (
      number bigint primary key,
      taken_at timestamptz not null,
      hash bytea not null
    );
    create table audit_anchored_heads (
      chain uuid not null,
      position bigint not null,
      hash bytea not null,
      anchor bigint not null,
      primary key (chain, position)
    );
    create index audit_anchored_heads_by_anchor on audit_anchored_heads (anchor, chain);

    create function refuse_audit_change() returns trigger language plpgsql as $$
    begin
      raise exception 'the audit log is append-only';
    end $$;
    create trigger audit_append_only before update or delete or truncate on audit
      for each statement execute function refuse_audit_change();
    revoke update, delete, truncate on audit, audit_anchors, audit_anchored_heads
      from account, account_maintenance;
    revoke delete, truncate on audit_heads from account, account_maintenance;
  `,
};
