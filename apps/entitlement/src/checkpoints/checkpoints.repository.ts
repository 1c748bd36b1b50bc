import { Injectable } from '@nestjs/common';
import { MaintenanceDatabase } from '#libs/database';
import { ENTRIES_SINCE, LEDGER_ACCOUNTS, LEDGER_AND_GRANT, USED_SINCE } from './ledger-sums.js';

@Injectable()
export class CheckpointsRepository {
  constructor(private readonly maintenance: MaintenanceDatabase) {}

  /**
   * Sums up the ledgers of the next accounts that have movements since their checkpoints, in one snapshot and without
   * locks that delay requests. @returns the last of these accounts; undefined if there is none.
   */
  async advance(afterAccountId: string | undefined, limit: number): Promise<string | undefined> {
    return this.maintenance.transaction(async (transaction) => {
      // If two processes sum up the same account, the second must see the checkpoint of the first.
      await transaction.query(`select pg_advisory_xact_lock(hashtext('entitlement.checkpoints'))`);
      const [row] = await transaction.query<{ last: string | null }>(ADVANCE, [
        afterAccountId ?? null,
        limit,
      ]);
      return row.last ?? undefined;
    });
  }
}

const columns = LEDGER_ACCOUNTS.join(', ');

/**
 * The ids of an account's transfers rise, and the same snapshot contains the last id, so later transfers have greater
 * ids. An account whose ledger and grants differ keeps its old checkpoint, so that the auditor continues to see the
 * difference. The usage of the last movement's day and of the day before it is not summed up, because more can be
 * booked on both: on the earlier day if the clock steps back by hours.
 */
const ADVANCE = `
  with due as materialized (
    select c.id, c.last_transfer_id
    from credit_accounts c left join account_checkpoints k on k.account_id = c.id
    where ($1::uuid is null or c.id > $1)
      and c.last_transfer_id > coalesce(k.through_id, '00000000-0000-0000-0000-000000000000')
    order by c.id limit $2),
  summed as materialized (
    select g.id as grant_id, g.account_id, ${LEDGER_ACCOUNTS.map(
      (name) => `coalesce(s.${name}, 0) + n.${name} as ${name}`,
    ).join(', ')},
      (select bool_and(recorded = held) from (values ${LEDGER_AND_GRANT}) as b(name, recorded, held)) as agrees,
      s.grant_id is null or (${LEDGER_ACCOUNTS.map((name) => `n.${name} <> 0`).join(' or ')})
        as has_moved
    from due d join credit_grants g on g.account_id = d.id
    left join account_checkpoints k on k.account_id = g.account_id
    left join grant_checkpoints s on s.grant_id = g.id
    cross join lateral (${ENTRIES_SINCE}) n),
  sound as materialized (
    select d.id, d.last_transfer_id, k.used, k.used_before,
      coalesce(greatest(k.used_before, (t.occurred_at at time zone 'UTC')::date - 1), '-infinity')
        as closed_before
    from due d
    left join ledger_transfers t on t.id = d.last_transfer_id
    left join account_checkpoints k on k.account_id = d.id
    where not exists (select from summed where account_id = d.id and not agrees)),
  grants as (
    insert into grant_checkpoints (grant_id, account_id, ${columns})
    select grant_id, account_id, ${columns} from summed
    where has_moved and account_id in (select id from sound) order by grant_id
    on conflict (grant_id) do update set
      (${columns}) = row(${LEDGER_ACCOUNTS.map((name) => `excluded.${name}`).join(', ')})),
  accounts as (
    insert into account_checkpoints (account_id, through_id, used_before, used)
    select id, last_transfer_id, closed_before, coalesce(k.used, 0) + n.used
    from sound k cross join lateral (${USED_SINCE} and day < k.closed_before) n order by id
    on conflict (account_id) do update set through_id = excluded.through_id,
      made_at = excluded.made_at, used_before = excluded.used_before, used = excluded.used)
  select (select max(id::text) from due) as last`;
