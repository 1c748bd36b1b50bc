import type { SetAsideKind } from '#libs/contracts';
import type { Database } from '#libs/database';
import { type Metrics, declareGauge } from '#libs/platform';

const SET_ASIDE = declareGauge(
  'dds_billing_set_aside',
  'Items that billing cannot finish on its own: orders and subscriptions that are set aside, processor objects whose fetch failed several times, money that only a processor has on record, refunds that the processor has not confirmed for an hour, money that could not be returned.',
  { labels: ['kind'] },
);

/** The number of failed fetches after which an object counts as set aside. */
const ATTEMPTS_MIN = 4;

/** The part of payment `p` that was paid and not returned. */
const LEFT_MICROS = `p.amount_micros - coalesce((select sum(amount_micros) from reversals r
  where r.payment_id = p.id and r.state <> 'undone'), 0)`;

/**
 * The SQL that selects the items set aside, by kind: id, account_id, time and reason. The age of a `requested` refund
 * is determined from its id, which contains the machine's time at its creation and can be compared in every PostgreSQL
 * release. An operator may have chosen an id without a time; then `created_at` counts.
 */
export const SET_ASIDE_MONEY: Readonly<Record<SetAsideKind, string>> = {
  orders: `select id::text, account_id, updated_at as since, set_aside_because as reason
    from orders where set_aside_because is not null`,
  subscriptions: `select id::text, account_id, updated_at as since, set_aside_because as reason
    from subscriptions where set_aside_because is not null`,
  objects: `select name as id, null::uuid as account_id,
      (select synced_at from processor_objects o where (o.processor, o.kind, o.external_id)
        = (payload ->> 'processor', payload ->> 'kind', payload ->> 'id')) as since, reason
    from work where queue = 'processor-objects'
      and tries - (state = 'claimed')::int >= ${ATTEMPTS_MIN}`,
  refunds: `select id::text, account_id, created_at as since,
      'the processor has not answered: the refund may or may not have been made' as reason
    from reversals where external_id is null and state = 'requested'
      and case substr(id::text, 15, 1) when '7' then id < least_id(clock_timestamp() - interval '1 hour')
        else created_at < clock_timestamp() - interval '1 hour' end`,
  unreturned: `select f.id::text, f.account_id, f.updated_at as since, case when f.reason is null
        then 'a refund was made at the processor and failed there: the money is here'
        else 'not refunded: its refunds were refused or failed' end as reason
    from reversals f join payments p on p.id = f.payment_id
    where f.cause = 'refund' and f.state = 'undone' and f.closed_at is null and f.retry_at is null
      and ${LEFT_MICROS} > 0`,
  unclaimed: `select subject as id, account_id, ended_at as since, detail as reason
    from reconciliation_findings f join reconciliation_runs r on r.id = f.run_id
    where f.account_id is null and not f.is_healed
      and r.id = (select id from reconciliation_runs order by id desc limit 1)`,
};

/**
 * Adds the metric of items set aside. Each item raises an alert (I13).
 * @param database connects as a role that sees every account's rows.
 */
export function addSetAsideMetrics(metrics: Metrics, database: Pick<Database, 'query'>): void {
  metrics.addSource({
    name: 'money set aside',
    read: async (take) => {
      const [row] = await database.query<Record<string, number>>(COUNTS);
      for (const [kind, count] of Object.entries(row)) take(SET_ASIDE, count, { kind });
    },
  });
}

const COUNTS = `select ${Object.entries(SET_ASIDE_MONEY)
  .map(([kind, rows]) => `(select count(*) from (${rows}) ${kind})::int as ${kind}`)
  .join(', ')}`;
