import { deepStrictEqual } from 'node:assert';
import type { ChosenProcessor } from '#libs/contracts';
import { newId } from '#libs/platform';
import { pressButton } from '../hosted-page.js';
import type { CrashWorld } from './crash-world.js';

export const CREDITS = 15_000;
export const TRIAL = 500;
const UNTAXED = { address_line1: '1 Quay', city: 'A town', country: 'US' };

/**
 * A request of a customer or an operator to billing. The process may die in each step; `act` may be repeated, as a
 * client without an answer would do.
 */
export interface Flow {
  /** Runs before the crash point is set. */
  prepare(world: CrashWorld): Promise<void>;
  act(world: CrashWorld): Promise<void>;
  /**
   * Checks, after everything has healed, that nothing is lost, nothing is doubled, and no call was sent under a second
   * key.
   */
  check(world: CrashWorld): Promise<void>;
}

abstract class Purchase implements Flow {
  protected accountId: string;
  protected since: number;
  protected hasPaid = false;
  private readonly key = newId();

  protected readonly processor: ChosenProcessor = 'stripe';
  protected abstract readonly wish: object;

  async prepare(world: CrashWorld): Promise<void> {
    this.accountId = await world.entitlement.newAccount();
    world.contacts.set(this.accountId, { details: UNTAXED });
    this.since = world.simulator.stripe.calls;
  }

  async act(world: CrashWorld): Promise<void> {
    const { accountId, processor } = this;
    await world.billing.call('POST', 'orders', {
      accountId,
      body: { ...this.wish, processor },
      headers: { 'idempotency-key': this.key },
    });
    await this.finish(world);
  }

  /** Pays for the listed order once. */
  async finish(world: CrashWorld): Promise<void> {
    const { accountId } = this;
    const { body } = await world.billing.call('GET', 'orders', { accountId });
    const url = body?.orders?.[0]?.redirect_url as string | undefined;
    if (url && !this.hasPaid) {
      this.hasPaid = true;
      await pressButton(url, 'pay');
    }
    await world.settle();
  }

  async check(world: CrashWorld): Promise<void> {
    const { accountId } = this;
    await this.finish(world);
    await world.heal();
    const { body } = await world.billing.call('GET', 'orders', { accountId });
    deepStrictEqual(
      (body.orders as { state: string }[]).map(({ state }) => state),
      ['paid'],
    );
    const keys = world.keysOf(/^\/v1\/checkout\/sessions$/, this.since);
    deepStrictEqual(keys.size, 1, 'the checkout was requested under several keys');
    deepStrictEqual(await world.timesSaid(accountId, 'billing.payment-confirmed'), 1);
    deepStrictEqual(await world.creditsOf(accountId), TRIAL + CREDITS);
  }
}

export class PackagePurchase extends Purchase {
  protected readonly wish = { product: 'package', credits: CREDITS };
}

export class Subscribing extends Purchase {
  protected readonly wish = { product: 'subscription', sku: 'api-15K-month' };

  override async check(world: CrashWorld): Promise<void> {
    await super.check(world);
    const { state, sku } = (await this.subscription(world)) ?? {};
    deepStrictEqual([state, sku], ['active', 'api-15K-month']);
  }

  protected async subscription(world: CrashWorld): Promise<
    Record<'id' | 'state' | 'sku' | 'tax_micros' | 'period_end', string> & {
      cancel_at: string | null;
      pending_change: { sku: string } | null;
    }
  > {
    const { body } = await world.billing.call('GET', 'subscriptions', {
      accountId: this.accountId,
    });
    return body?.subscriptions?.[0];
  }
}

/** A flow of a subscription that is active before the crash point is set. */
export abstract class OfSubscription extends Subscribing {
  protected id: string;

  override async prepare(world: CrashWorld): Promise<void> {
    await super.prepare(world);
    await super.act(world);
    this.id = (await this.subscription(world)).id;
    this.since = world.simulator.stripe.calls;
  }
}

export class Upgrading extends OfSubscription {
  override async act(world: CrashWorld): Promise<void> {
    const { accountId, id } = this;
    const from = world.clock.now().toISOString();
    const body = { sku: 'api-50K-month', from };
    await world.billing.call('POST', `subscriptions/${id}/change`, { accountId, body });
    await world.settle();
  }

  override async check(world: CrashWorld): Promise<void> {
    const { accountId } = this;
    const keys = world.keysOf(/^\/v1\/subscriptions\//, this.since).size;
    deepStrictEqual(keys <= 1, true, 'the upgrade was requested under several keys');
    // A process that died before its request has neither taken money nor changed the plan.
    const isAsked = keys === 1;
    const { sku } = await this.subscription(world);
    deepStrictEqual(sku, isAsked ? 'api-50K-month' : 'api-15K-month');
    const payments = await world.timesSaid(accountId, 'billing.payment-confirmed');
    deepStrictEqual(payments, isAsked ? 2 : 1);
    // Agreed at the moment of the start, so all of the difference is due.
    deepStrictEqual(await world.creditsOf(accountId), TRIAL + (isAsked ? 50_000 : CREDITS));
  }
}

export class Refunding extends OfSubscription {
  private readonly refundId = newId();

  override async act(world: CrashWorld): Promise<void> {
    const { accountId, refundId } = this;
    const operator = { accountId, caller: 'cli' } as const;
    const { body } = await world.billing.call('GET', 'operator/payments', operator);
    const paymentId = body?.payments?.[0]?.paymentId as string | undefined;
    if (paymentId) {
      const wish = { refundId, paymentId, scope: 'whole', reason: 'asked for it' };
      await world.billing.call('POST', 'operator/refunds', { ...operator, body: wish });
    }
    await world.settle();
  }

  override async check(world: CrashWorld): Promise<void> {
    const { accountId } = this;
    deepStrictEqual(world.keysOf(/^\/v1\/refunds$/, this.since).size, 1, 'keys');
    const [{ refunds }] = await world.database.query<{ refunds: string[] }>(
      `select array_agg(state) as refunds from reversals where account_id = $1`,
      [accountId],
    );
    deepStrictEqual(refunds, ['final']);
    const made = world.simulator.world.all('refund');
    deepStrictEqual(made.filter(({ metadata }) => metadata?.refundId === this.refundId).length, 1);
    deepStrictEqual((await this.subscription(world)).state, 'cancelled');
    deepStrictEqual(await world.creditsOf(accountId), TRIAL);
  }
}

/** The account is deleted and restored; only the changes of the deletion are undone. */
export class Leaving extends OfSubscription {
  override async act(world: CrashWorld): Promise<void> {
    await world.billing.deliver('deleted', this.accountId);
    await world.billing.runJob('FollowAccountsJob');
    await world.settle();
  }

  override async check(world: CrashWorld): Promise<void> {
    deepStrictEqual(typeof (await this.subscription(world)).cancel_at, 'string');
    world.passDays(1);
    await world.billing.deliver('restored', this.accountId);
    await world.heal();
    const { state, cancel_at: cancelAt } = await this.subscription(world);
    deepStrictEqual([state, cancelAt], ['active', null]);
    deepStrictEqual(await world.creditsOf(this.accountId), TRIAL + CREDITS);
  }
}
