import type { Migration } from '#libs/database';

export const orders: Migration = {
  name: '0002-orders',
  sql: `
    create table orders (
      id uuid primary key,
      account_id uuid not null,
      request_key text not null,
      request_hash bytea not null,
      state text not null check (state in ('created', 'redirected', 'processing', 'paid', 'expired',
        'failed', 'cancelled', 'partially_refunded', 'refunded', 'disputed')),
      processor text not null,
      amount_micros bigint not null check (amount_micros >= 0),
      currency text not null check (currency ~ '^[A-Z]{3}$'),
      -- The buyer is a business that owes the tax itself: what its invoices say of it.
      is_reverse_charge boolean not null,
      catalogue_version text not null,
      checkout_id text,
      redirect_url text,
      expires_at timestamptz not null,
      set_aside_because text,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      unique (account_id, request_key),
      unique (processor, checkout_id)
    );
    create index orders_account on orders (account_id, created_at);
    create index orders_open on orders (updated_at)
      where state in ('created', 'redirected', 'processing');
    create table order_lines (
      id uuid primary key,
      order_id uuid not null references orders,
      account_id uuid not null,
      kind text not null,
      sku text not null,
      quantity integer not null check (quantity > 0),
      -- Without tax; what is paid is both together.
      amount_micros bigint not null check (amount_micros >= 0),
      tax_micros bigint not null check (tax_micros >= 0),
      -- Millionths of the amount: 190000 is 19 %.
      tax_ppm integer not null check (tax_ppm between 0 and 999999),
      credits bigint check (credits > 0),
      tier text,
      check ((kind = 'package') = (credits is not null))
    );
    create index order_lines_order on order_lines (order_id);
    create table processor_customers (
      account_id uuid not null,
      processor text not null,
      customer_id text not null,
      primary key (account_id, processor)
    );
    create index processor_customers_customer on processor_customers (customer_id);
  `,
};
