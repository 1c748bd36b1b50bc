import type { Migration } from '#libs/database';

export const reconciliation: Migration = {
  name: '0009-reconciliation',
  sql: `
    -- Comparisons of billing with entitlement and the processors, and what did not agree.
    create table reconciliation_runs (
      id uuid primary key,
      started_at timestamptz not null,
      ended_at timestamptz not null,
      lines integer not null,
      payments integer not null,
      subscriptions integer not null
    );
    create table reconciliation_findings (
      id uuid primary key,
      run_id uuid not null references reconciliation_runs,
      kind text not null check (kind in ('fulfilment', 'processor')),
      account_id uuid not null,
      subject text not null,
      detail text not null,
      -- Set right in the run; what is not is looked at again by the next one.
      is_healed boolean not null
    );
    create index reconciliation_findings_run on reconciliation_findings (run_id);
  `,
};
