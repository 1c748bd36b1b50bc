import { setTimeout as sleep } from 'node:timers/promises';
import { Database, auditorRole, checkInvariants, withClient } from '#libs/database';
import { ENTITLEMENT_INVARIANTS } from '../../../apps/entitlement/src/auditor/invariants.js';
import type { ServiceSettings } from '../../../apps/cluster/src/service-settings.js';
import { eventually, holds } from './patience.js';
import type { AccountBook } from './account-book.js';

const SETTLE_LIMIT_MS = 60_000;
/** How long to wait for the charges that a killed gateway left in its journal; a kill may also lose some. */
const REPLAY_LIMIT_MS = 20_000;

/** Compares the database, which it reads past every proxy, with the answers that customers received. */
export class Checker {
  private checkedUpTo = '0';

  constructor(
    private readonly settings: ServiceSettings,
    private readonly book: AccountBook,
  ) {}

  sql<T extends object>(text: string, values: unknown[] = []): Promise<T[]> {
    return withClient(this.settings.superuserUrl, async (client) => {
      const { rows } = await client.query<T>(text, values);
      return rows;
    });
  }

  async registered(accountId: string): Promise<void> {
    await this.exists(
      `select from entitlement.credit_grants where account_id = $1 and source_type = 'trial'`,
      accountId,
    );
  }

  async granted(paymentId: string): Promise<void> {
    await this.exists(
      `select from entitlement.credit_grants where source_type = 'package' and source_id = $1`,
      paymentId,
    );
  }

  /**
   * Checks everything that must hold after every scenario.
   * @param unbilledMax the maximum credits of answers that kills may leave uncharged. Customers may never lose any
   *   credits.
   * @returns the uncharged credits, the number of events since the last check, and the longest time from the commit of
   *   an event, by the database's clock, to the commit of its handler. @throws Broken with the first violation.
   */
  async check(unbilledMax: number) {
    await eventually('rest', async () => {
      const [{ waiting }] = await this.sql<{ waiting: Record<string, number> }>(WAITING);
      const left = Object.entries(waiting).filter(([, count]) => count > 0);
      if (left.length === 0) return true;
      throw new Error(left.map(([what, count]) => `${count} ${what}`).join(', '));
    });
    await this.accountsOnce();
    await this.paymentsOnce();
    const unbilled = await this.creditsExact(unbilledMax);
    await this.invariantsHold();
    const [found] = await this.sql<Record<string, string>>(LATENESS, [this.checkedUpTo]);
    this.checkedUpTo = found.newest;
    const slowestEventMs = Math.round(Number(found.slowest));
    return { unbilled, events: Number(found.events), slowestEventMs };
  }

  private async exists(select: string, id: string): Promise<void> {
    await eventually(`${select}: ${id}`, async () => (await this.sql(select, [id])).length > 0);
  }

  private async accountsOnce(): Promise<void> {
    const rows = await this.sql<{ id: string; rows: number; trials: number; state: string }>(
      `select a.id, count(distinct b.id)::int as rows, min(b.state) as state,
         count(g.id) filter (where g.source_type = 'trial')::int as trials
       from unnest($1::uuid[]) as a (id)
       left join account.accounts b on b.id = a.id
       left join entitlement.credit_grants g on g.account_id = a.id
       group by a.id`,
      [[...this.book.accounts.keys()]],
    );
    for (const { id, ...found } of rows) {
      const told = { rows: 1, trials: 1, state: this.book.of(id).state };
      const isSo = found.rows === 1 && found.trials === 1 && found.state === told.state;
      holds(isSo, `account ${id}: ${JSON.stringify({ found, told })}`);
    }
  }

  private async paymentsOnce(): Promise<void> {
    const credits = new Map(this.book.payments.map((each) => [each.paymentId, each.credits]));
    const payments = await this.sql<{ id: string; grants: number; granted: string | null }>(
      `select p.id, count(g.id)::int as grants, sum(g.granted) as granted
       from unnest($1::text[]) as p (id)
       left join entitlement.credit_grants g on g.source_type = 'package' and g.source_id = p.id
       group by p.id`,
      [[...credits.keys()]],
    );
    for (const { id, grants, granted } of payments) {
      const isRight = grants === 1 && Number(granted) === credits.get(id);
      holds(isRight, `payment ${id} has ${grants} grants of ${granted} credits in total`);
    }
  }

  /**
   * Checks that each account was charged only for answers that arrived or are in doubt, and that all accounts together
   * were charged for all that arrived, less the credits that kills may leave uncharged. The next scenario starts from
   * the charged number.
   * @returns the number of uncharged credits.
   */
  private async creditsExact(unbilledMax: number): Promise<number> {
    const startedAt = performance.now();
    const unbilledOf = (charges: { beyond: number }[]) =>
      charges.reduce((total, { beyond }) => total + Math.max(0, -beyond), 0);
    let charges = await this.charges();
    // Settlements run every 100 ms, and a journal is replayed after a restart.
    for (;;) {
      const left = unbilledOf(charges);
      const limitMs = left > unbilledMax ? SETTLE_LIMIT_MS : REPLAY_LIMIT_MS;
      if (left === 0 || performance.now() > startedAt + limitMs) break;
      await sleep(200);
      charges = await this.charges();
    }
    for (const { id, account, beyond } of charges) {
      const excess = `account ${id} was charged ${beyond} credits for answers that it never received`;
      holds(beyond <= account.inDoubt, excess);
    }
    const unbilled = unbilledOf(charges);
    const lost = `${unbilled} answered credits were not charged; at most ${unbilledMax} may be`;
    holds(unbilled <= unbilledMax, lost);
    for (const { account, beyond } of charges) {
      account.answered += beyond;
      account.inDoubt = 0;
    }
    return unbilled;
  }

  /** Returns the credits that each account was charged beyond the answers that it received. */
  private async charges() {
    const rows = await this.sql<{ id: string; consumed: string }>(
      `select account_id as id, sum(consumed) as consumed from (
         select account_id, consumed from entitlement.credit_grants
         union all
         -- What open leases have used is booked at their close.
         select account_id, reported - consumed from entitlement.leases where state = 'open') used
       where account_id = any ($1::uuid[]) group by account_id`,
      [[...this.book.accounts.keys()]],
    );
    return rows.map(({ id, consumed }) => {
      const account = this.book.of(id);
      return { id, account, beyond: Number(consumed) - account.answered };
    });
  }

  private async invariantsHold(): Promise<void> {
    const [first] = await eventually('the auditor', async () => {
      const auditor = await Database.open({
        url: this.settings.databaseUrl(auditorRole('entitlement')),
        applicationName: 'prove auditor',
        poolSize: 1,
      });
      return checkInvariants(auditor, ENTITLEMENT_INVARIANTS).finally(() => auditor.close());
    });
    holds(first === undefined, `invariant ${first?.id}: ${JSON.stringify(first?.rows[0])}`);
  }
}

const SAID = `(
  select id, type, sequence, sent_at from account.outbox
  union all select id, type, sequence, sent_at from billing.outbox) said`;

/** Counts what remains to be sent, handled, retried or mailed. The gateways' durable group reads only erasures. */
const WAITING = `
  select json_build_object(
    'unsent events of account', (select count(*) from account.outbox where sent_at is null),
    'unsent events of entitlement', (select count(*) from entitlement.outbox where sent_at is null),
    'unsent events of billing', (select count(*) from billing.outbox where sent_at is null),
    'events that entitlement has not handled', (select count(*) from ${SAID}
      where type in ('account.account-registered', 'account.account-deleted',
        'account.account-restored', 'account.account-erased', 'billing.payment-confirmed')
        and not exists (select from entitlement.inbox where event_id = said.id)),
    'erasures that the gateways have not handled', (select count(*) from account.outbox said
      where type = 'account.account-erased'
        and not exists (select from gateway.inbox where event_id = said.id)),
    'failed events', (select count(*) from entitlement.failed_event
      where state in ('retrying', 'dead')),
    'mails', (select count(*) from account.mail where attempts = 0)) as waiting`;

const LATENESS = `
  select count(*) as events, greatest($1::bigint, max(said.sequence)) as newest,
    coalesce(max(extract(epoch from i.handled_at) * 1000 - said.sequence / 1000.0), 0) as slowest
  from ${SAID} join entitlement.inbox i on i.event_id = said.id
  where said.sequence > $1::bigint`;
