import { Database, auditorRole, checkInvariants } from '#libs/database';
import { ENTITLEMENT_INVARIANTS } from '../../../apps/entitlement/src/auditor/invariants.js';
import type { ServiceSettings } from '../../../apps/cluster/src/service-settings.js';
import { Broken } from './broken.js';
import type { AccountBook } from './account-book.js';
import { eventually } from './patience.js';

/** The loss that a row allows: credits of answers that a kill may leave unbilled. Customers may never lose any. */
export interface Allowance {
  unbilledMax: number;
}

/** The results after a row of the matrix. */
export interface Findings {
  events: number;
  /** The longest time from an event's sequence (its commit, by the database's clock) to its handler's commit. */
  slowestEventMs: number;
  charged: number;
  unbilled: number;
  /** Credits charged although the connection broke before the answer arrived. */
  chargedInDoubt: number;
}

interface Charge {
  charged: number;
  answered: number;
  inDoubt: number;
}

const SETTLE_LIMIT_MS = 60_000;

/** Compares the database with the answers that customers received. Only reads, and bypasses every proxy. */
export class Checker {
  private database?: Promise<Database>;
  private auditor?: Promise<Database>;
  /** The explained differences of earlier rows, by account. */
  private readonly before = new Map<string, Charge>();
  private checkedUpTo = '0';

  constructor(
    private readonly settings: ServiceSettings,
    private readonly book: AccountBook,
  ) {}

  async stop(): Promise<void> {
    for (const database of [this.database, this.auditor]) await (await database)?.close();
  }

  /** Waits until an account exists in entitlement. */
  async registered(accountId: string): Promise<void> {
    await eventually('the trial credits', async () => {
      const rows = await this.query(
        `select from entitlement.credit_grants where account_id = $1 and source_type = 'trial'`,
        [accountId],
      );
      return rows.length > 0;
    });
  }

  async granted(paymentId: string, limitMs?: number): Promise<void> {
    await eventually(
      'the credits of a payment',
      async () => {
        const rows = await this.query(
          `select from entitlement.credit_grants where source_type = 'package' and source_id = $1`,
          [paymentId],
        );
        return rows.length > 0;
      },
      limitMs,
    );
  }

  /** Credits of an adjustment that have expired. */
  async expired(adjustmentId: string): Promise<number> {
    const [row] = await this.query<{ expired: string }>(
      `select expired from entitlement.credit_grants where source_id = $1`,
      [adjustmentId],
    );
    return Number(row?.expired ?? 0);
  }

  /** Checks everything that must hold after every row. @throws Broken with the first violation. */
  async check({ unbilledMax }: Allowance): Promise<Findings> {
    await this.drained();
    await this.onceEach();
    const credits = await this.creditsExact(unbilledMax);
    await this.invariantsHold();
    return { ...credits, ...(await this.events()) };
  }

  /** Waits until nothing is left to send, handle, retry or mail. */
  private async drained(): Promise<void> {
    await eventually('empty outboxes', async () => {
      const [{ waiting }] = await this.query<{ waiting: Record<string, number> }>(WAITING);
      const left = Object.entries(waiting).filter(([, count]) => count > 0);
      if (left.length === 0) return true;
      throw new Error(left.map(([what, count]) => `${count} ${what}`).join(', '));
    });
  }

  /** Checks that every acknowledged command has had its effect exactly once. */
  private async onceEach(): Promise<void> {
    const accountIds = [...this.book.accounts.keys()];
    const accounts = await this.query<{ id: string; rows: number; trials: number; state: string }>(
      `select a.id, count(distinct b.id)::int as rows, min(b.state) as state,
         count(g.id) filter (where g.source_type = 'trial')::int as trials
       from unnest($1::uuid[]) as a (id)
       left join account.accounts b on b.id = a.id
       left join entitlement.credit_grants g on g.account_id = a.id
       group by a.id`,
      [accountIds],
    );
    for (const { id, rows, trials, state } of accounts) {
      if (rows !== 1) throw new Broken(`account ${id} exists ${rows} times`);
      if (trials !== 1) throw new Broken(`account ${id} has ${trials} trial grants`);
      const told = this.book.states.get(id) ?? 'active';
      if (state !== told)
        throw new Broken(`account ${id} is ${state}, but its owner was told ${told}`);
    }
    const payments = await this.query<{
      payment_id: string;
      grants: number;
      granted: string | null;
    }>(
      `select p.id as payment_id, count(g.id)::int as grants, sum(g.granted) as granted
       from unnest($1::text[]) as p (id)
       left join entitlement.credit_grants g on g.source_type = 'package' and g.source_id = p.id
       group by p.id`,
      [this.book.payments.map(({ paymentId }) => paymentId)],
    );
    const credits = new Map(this.book.payments.map((each) => [each.paymentId, each.credits]));
    for (const { payment_id: id, grants, granted } of payments) {
      if (grants === 1 && Number(granted) === credits.get(id)) continue;
      throw new Broken(`payment ${id} has ${grants} grants of ${granted} credits together`);
    }
  }

  /**
   * Checks that at most the answered credits were charged, and at least those less the credits that a kill may leave
   * unbilled.
   */
  private async creditsExact(
    unbilledMax: number,
  ): Promise<Pick<Findings, 'charged' | 'unbilled' | 'chargedInDoubt'>> {
    const until = performance.now() + SETTLE_LIMIT_MS;
    let found = await this.charges();
    // Settlements run every 100 ms, and a journal is replayed after a start.
    while (found.unbilled > 0 && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      found = await this.charges();
    }
    const { charges, ...totals } = found;
    for (const [id, { charged, answered, inDoubt }] of charges) {
      const before = this.before.get(id) ?? { charged: 0, answered: 0, inDoubt: 0 };
      const beyond = charged - before.charged - (answered - before.answered);
      if (beyond > inDoubt - before.inDoubt) {
        throw new Broken(`account ${id} was charged ${beyond} credits for answers it never got`);
      }
    }
    if (totals.unbilled > unbilledMax) {
      throw new Broken(
        `${totals.unbilled} answered credits were not charged; at most ${unbilledMax} are allowed`,
      );
    }
    for (const [id, charge] of charges) this.before.set(id, charge);
    return totals;
  }

  private async charges() {
    const rows = await this.query<{ account_id: string; consumed: string }>(
      `select account_id, sum(consumed) as consumed from (
         select account_id, consumed from entitlement.credit_grants
         union all
         -- What open leases have used is booked at their close.
         select account_id, reported - consumed from entitlement.leases where state = 'open') used
       where account_id = any ($1::uuid[]) group by account_id`,
      [[...this.book.accounts.keys()]],
    );
    const charges = new Map<string, Charge>();
    const totals = { charged: 0, unbilled: 0, chargedInDoubt: 0 };
    for (const { account_id: id, consumed } of rows) {
      const { answered, inDoubt } = this.book.accounts.get(id)!;
      const before = this.before.get(id) ?? { charged: 0, answered: 0 };
      const charge = { charged: Number(consumed), answered, inDoubt };
      const difference = charge.charged - before.charged - (answered - before.answered);
      totals.charged += charge.charged - before.charged;
      totals.unbilled += Math.max(0, -difference);
      totals.chargedInDoubt += Math.max(0, difference);
      charges.set(id, charge);
    }
    return { charges, ...totals };
  }

  private async invariantsHold(): Promise<void> {
    this.auditor ??= Database.open({
      url: this.settings.databaseUrl(auditorRole('entitlement')),
      applicationName: 'prove auditor',
      poolSize: 1,
    });
    const violated = await eventually('the auditor', async () => {
      return checkInvariants(await (this.auditor as Promise<Database>), ENTITLEMENT_INVARIANTS);
    });
    const [first] = violated;
    if (first) throw new Broken(`invariant ${first.id}: ${JSON.stringify(first.rows[0])}`);
  }

  /** The events since the last check. */
  private async events(): Promise<Pick<Findings, 'events' | 'slowestEventMs'>> {
    const [{ events, slowest, newest }] = await this.query<Record<string, string>>(LATENESS, [
      this.checkedUpTo,
    ]);
    this.checkedUpTo = newest;
    return { events: Number(events), slowestEventMs: Math.round(Number(slowest)) };
  }

  async query<T extends object>(sql: string, parameters: unknown[] = []): Promise<T[]> {
    this.database ??= Database.open({
      url: this.settings.superuserUrl,
      applicationName: 'prove',
      poolSize: 2,
    });
    return (
      await this.database.catch((error: unknown) => {
        this.database = undefined;
        throw error;
      })
    ).query<T>(sql, parameters);
  }
}

const SAID = `(
  select id, type, sequence, sent_at from account.outbox
  union all select id, type, sequence, sent_at from billing.outbox) said`;

/** The events that entitlement handles; the gateway's durable group reads only erasures. */
const HEARD = `type in ('account.account-registered', 'account.account-deleted',
  'account.account-restored', 'account.account-erased', 'billing.payment-confirmed')`;

const WAITING = `
  select json_build_object(
    'unsent events of account', (select count(*) from account.outbox where sent_at is null),
    'unsent events of entitlement', (select count(*) from entitlement.outbox where sent_at is null),
    'unsent events of billing', (select count(*) from billing.outbox where sent_at is null),
    'events nobody handled', (select count(*) from ${SAID} where ${HEARD} and not exists (
      select from entitlement.inbox where event_id = said.id)),
    'failed events', (select count(*) from entitlement.failed_event
      where state in ('retrying', 'dead')),
    'mails', (select count(*) from account.mail where attempts = 0)) as waiting`;

const LATENESS = `
  select count(*) as events, greatest($1::bigint, max(said.sequence)) as newest,
    coalesce(max(extract(epoch from i.handled_at) * 1000 - said.sequence / 1000.0), 0) as slowest
  from ${SAID} join entitlement.inbox i on i.event_id = said.id
  where said.sequence > $1::bigint`;
