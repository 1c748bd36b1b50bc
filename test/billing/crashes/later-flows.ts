import { deepStrictEqual } from 'node:assert';
import { DAY_MS, HOUR_MS, MINUTE_MS, addMonths } from '#libs/platform';
import { agreeAtPaypal, pressButton } from '../hosted-page.js';
import type { CrashWorld } from './crash-world.js';
import { CREDITS, OfSubscription, PackagePurchase, TRIAL } from './money-flows.js';

const DETAILS = { address_line1: '1 Quay', city: 'A town' };

/** The month ends and the next one is paid. */
export class Renewing extends OfSubscription {
  private end: Date;

  override async prepare(world: CrashWorld): Promise<void> {
    await super.prepare(world);
    this.end = addMonths(world.clock.now(), 1);
    // Delivered at once, because credits of a month last for another week if entitlement learns of the month too late.
    await world.creditsOf(this.accountId);
  }

  override async act(world: CrashWorld): Promise<void> {
    if (world.clock.now() < this.end) world.clock.set(this.end);
    world.simulator.clock.runDue();
    await world.settle();
  }

  override async check(world: CrashWorld): Promise<void> {
    const { accountId } = this;
    deepStrictEqual((await this.subscription(world)).state, 'active');
    deepStrictEqual(await world.timesSaid(accountId, 'billing.payment-confirmed'), 2);
    deepStrictEqual(await world.creditsOf(accountId), TRIAL + CREDITS);
  }
}

abstract class Changing extends OfSubscription {
  protected async step(world: CrashWorld, name: string, body: object = {}): Promise<void> {
    const { accountId, id } = this;
    await world.billing.call('POST', `subscriptions/${id}/${name}`, { accountId, body });
    await world.settle();
  }

  override async check(world: CrashWorld): Promise<void> {
    deepStrictEqual(await world.timesSaid(this.accountId, 'billing.payment-confirmed'), 1);
    deepStrictEqual(await world.creditsOf(this.accountId), TRIAL + CREDITS);
  }
}

export class Cancelling extends Changing {
  override act(world: CrashWorld): Promise<void> {
    return this.step(world, 'cancel');
  }

  override async check(world: CrashWorld): Promise<void> {
    deepStrictEqual(typeof (await this.subscription(world)).cancel_at, 'string');
    await this.step(world, 'undo');
    deepStrictEqual((await this.subscription(world)).cancel_at, null);
    await super.check(world);
  }
}

/** The customer withdraws a cancellation. */
export class Undoing extends Changing {
  override async prepare(world: CrashWorld): Promise<void> {
    await super.prepare(world);
    await this.step(world, 'cancel');
    deepStrictEqual(typeof (await this.subscription(world)).cancel_at, 'string');
  }

  override act(world: CrashWorld): Promise<void> {
    return this.step(world, 'undo');
  }

  override async check(world: CrashWorld): Promise<void> {
    const { state, cancel_at: cancelAt } = await this.subscription(world);
    deepStrictEqual([state, cancelAt], ['active', null]);
    await super.check(world);
  }
}

/** PayPal bills early and has passed over the cancelled subscription: its cancellation stays. */
export class UndoingTooLate extends Undoing {
  protected override readonly processor = 'paypal';

  override async prepare(world: CrashWorld): Promise<void> {
    const { subscriptions } = world.simulator.paypal;
    subscriptions.earlyMs = 8 * HOUR_MS;
    await super.prepare(world);
    subscriptions.earlyMs = 0;
    const { period_end: end } = await this.subscription(world);
    world.clock.set(new Date(Date.parse(end) - 2 * HOUR_MS));
    world.simulator.clock.runDue();
  }

  override async check(world: CrashWorld): Promise<void> {
    const { state, cancel_at: cancelAt, period_end: end } = await this.subscription(world);
    deepStrictEqual([state, cancelAt], ['active', end]);
    world.clock.set(new Date(Date.parse(end) + HOUR_MS));
    await world.heal();
    deepStrictEqual((await this.subscription(world)).state, 'cancelled');
    deepStrictEqual(world.simulator.paypal.world.all('subscription').at(-1)?.status, 'CANCELLED');
    deepStrictEqual(await world.timesSaid(this.accountId, 'billing.payment-confirmed'), 1);
  }
}

/** Two calls at Stripe: a schedule, then its phases. */
export class Lowering extends Changing {
  protected readonly sku: string = 'api-5K-month';

  override act(world: CrashWorld): Promise<void> {
    return this.step(world, 'change', { sku: this.sku });
  }

  override async check(world: CrashWorld): Promise<void> {
    const isAsked = world.keysOf(/^\/v1\/subscription_schedules\//, this.since).size > 0;
    const { pending_change: pending } = await this.subscription(world);
    deepStrictEqual(pending?.sku, isAsked ? this.sku : undefined);
    await super.check(world);
  }
}

/** From the next period on, the customer pays yearly. */
export class ChangingInterval extends Lowering {
  protected override readonly sku = 'api-15K-year';
}

/** The customer has moved to a place with a different tax. */
export class Taxing extends Changing {
  override async prepare(world: CrashWorld): Promise<void> {
    await super.prepare(world);
    world.contacts.set(this.accountId, { details: { ...DETAILS, country: 'DE' } });
    const { period_end: end } = await this.subscription(world);
    world.clock.set(new Date(Date.parse(end) - DAY_MS));
    await world.settle();
  }

  override async act(world: CrashWorld): Promise<void> {
    await world.billing.runJob('FollowTaxJob');
    await world.settle();
  }

  override async check(world: CrashWorld): Promise<void> {
    deepStrictEqual((await this.subscription(world)).tax_micros, '5130000');
    deepStrictEqual(world.keysOf(/^\/v1\/subscriptions\//, this.since).size, 1, 'keys');
    await super.check(world);
  }
}

/** The customer's bank takes the money back. */
export class Disputing extends PackagePurchase {
  private payment: string;

  override async prepare(world: CrashWorld): Promise<void> {
    await super.prepare(world);
    await super.act(world);
    this.payment = world.simulator.world.all('payment_intent')[0].id;
  }

  override async act(world: CrashWorld): Promise<void> {
    const { payments, world: processor } = world.simulator;
    const isKnown = processor.all('dispute').some((one) => one.payment_intent === this.payment);
    if (!isKnown) payments.decideDispute(payments.dispute(this.payment).id, 'lost');
    await world.settle();
  }

  override async check(world: CrashWorld): Promise<void> {
    const { accountId } = this;
    const { body } = await world.billing.call('GET', 'orders', { accountId });
    deepStrictEqual(body.orders[0].state, 'disputed');
    deepStrictEqual(await world.creditsOf(accountId), TRIAL);
  }
}

/** A deleted account is restored. */
export class Restoring extends OfSubscription {
  override async prepare(world: CrashWorld): Promise<void> {
    await super.prepare(world);
    await world.billing.deliver('deleted', this.accountId);
    await world.billing.runJob('FollowAccountsJob');
    await world.settle();
    deepStrictEqual(typeof (await this.subscription(world)).cancel_at, 'string');
    world.passDays(1);
  }

  override async act(world: CrashWorld): Promise<void> {
    await world.billing.deliver('restored', this.accountId);
    await world.billing.runJob('FollowAccountsJob');
    await world.settle();
  }

  override async check(world: CrashWorld): Promise<void> {
    const { state, cancel_at: cancelAt } = await this.subscription(world);
    deepStrictEqual([state, cancelAt], ['active', null]);
    deepStrictEqual(await world.creditsOf(this.accountId), TRIAL + CREDITS);
  }
}

/** The customer pays on a page that was still open when the account was deleted. */
export class LateMoney extends PackagePurchase {
  private url: string;

  override async prepare(world: CrashWorld): Promise<void> {
    await super.prepare(world);
    const { accountId } = this;
    const body = { ...this.wish, processor: 'stripe' };
    const { body: order } = await world.billing.call('POST', 'orders', { accountId, body });
    this.url = order.redirect_url as string;
    await world.billing.deliver('deleted', accountId);
  }

  override async act(world: CrashWorld): Promise<void> {
    if (!this.hasPaid) {
      this.hasPaid = true;
      await pressButton(this.url, 'pay');
    }
    await world.settle();
    await world.billing.runJob('ReturnMoneyJob');
    await world.settle();
  }

  override async check(world: CrashWorld): Promise<void> {
    const { accountId } = this;
    deepStrictEqual(world.keysOf(/^\/v1\/refunds$/, this.since).size, 1, 'keys');
    const reversals = await world.database.query<{ state: string; amount: string }>(
      `select state, amount_micros::text as amount from reversals where account_id = $1`,
      [accountId],
    );
    deepStrictEqual(reversals, [{ state: 'final', amount: '54000000' }]);
    deepStrictEqual(await world.timesSaid(accountId, 'billing.payment-confirmed'), 0);
    deepStrictEqual(await world.creditsOf(accountId), TRIAL);
  }
}

/** PayPal captures the payment of a change after its period is over, and polling PayPal's events discovers it. */
export class LateChange extends OfSubscription {
  protected override readonly processor = 'paypal';

  override async prepare(world: CrashWorld): Promise<void> {
    await super.prepare(world);
    const { accountId, id } = this;
    const { period_end: end } = await this.subscription(world);
    world.clock.set(new Date(Date.parse(end) - DAY_MS));
    const body = { sku: 'api-50K-month' };
    const asked = await world.billing.call('POST', `subscriptions/${id}/change`, {
      accountId,
      body,
    });
    await agreeAtPaypal(asked.body.redirect_url as string, 'delayed');
    await world.settle();
    const { faults } = world.simulator.paypal.callbacks;
    faults.drop = true;
    world.passDays(5);
    faults.drop = false;
    world.clock.advance(MINUTE_MS);
  }

  override async act(world: CrashWorld): Promise<void> {
    if (!this.id) return super.act(world);
    await world.billing.runJob('MissedEventsJob');
    await world.settle();
    await world.billing.runJob('ReturnMoneyJob');
    await world.settle();
  }

  override async check(world: CrashWorld): Promise<void> {
    const { accountId } = this;
    const payments = await world.database.query<Record<'amount' | 'state', string | null>>(
      `select p.amount_micros::text as amount, r.state from payments p
       left join reversals r on r.payment_id = p.id and r.amount_micros = p.amount_micros
       where p.account_id = $1 order by p.is_announced, p.id`,
      [accountId],
    );
    deepStrictEqual(
      payments.map(({ state }) => state),
      ['final', null, null],
    );
    deepStrictEqual(
      payments.slice(1).map(({ amount }) => amount),
      ['27000000', '75000000'],
    );
    deepStrictEqual(await world.timesSaid(accountId, 'billing.payment-confirmed'), 2);
  }
}

/** Every callback is lost, but polling the processor's events finds what happened. */
export class Unheard extends PackagePurchase {
  override async act(world: CrashWorld): Promise<void> {
    const { faults } = world.simulator.callbacks;
    faults.drop = true;
    await super.act(world);
    faults.drop = false;
    // A poll ends before the present moment.
    world.clock.advance(MINUTE_MS);
    await world.billing.runJob('MissedEventsJob');
    await world.settle();
  }
}
