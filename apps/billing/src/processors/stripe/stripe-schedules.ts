import type { Stripe } from 'stripe';
import { planOfSku } from '#libs/contracts';
import { UnfitObject } from '../unfit-object.js';
import type { PricedPlan, StripePrices } from './stripe-prices.js';
import { idOf } from './stripe-snapshots.js';

export interface PhaseItem {
  price: string;
  quantity: number;
}

export interface NextItem extends PhaseItem {
  plan: PricedPlan;
}

interface Phases {
  running: PhaseItem;
  next: NextItem;
}

/**
 * Changes plans at the end of a period, by schedules with two phases: the running period, and the first period of the
 * new plan.
 */
export class StripeSchedules {
  constructor(
    private readonly stripe: Stripe,
    private readonly prices: StripePrices,
  ) {}

  /** Returns the plan that waits for the end of the period; undefined if there is none. `schedule` must be expanded. */
  async nextOf({ schedule, items }: Stripe.Subscription): Promise<NextItem | undefined> {
    if (typeof schedule !== 'object' || !schedule) return undefined;
    const [{ current_period_end: end }] = items.data;
    const [item] = schedule.phases.find(({ start_date }) => start_date >= end)?.items ?? [];
    if (!item) return undefined;
    const price = idOf(item.price);
    return { price, quantity: item.quantity ?? 1, plan: await this.prices.planOf(price) };
  }

  /** Schedules a change. An earlier change is replaced. */
  async add(subscription: Stripe.Subscription, next: NextItem, key: string): Promise<void> {
    const { id, schedule: known } = subscription;
    const schedule =
      known ??
      (await this.stripe.subscriptionSchedules.create(
        { from_subscription: id },
        { idempotencyKey: `schedule:${key}` },
      ));
    const running = runningItemOf(subscription);
    await this.write({ ...subscription, schedule }, { running, next }, key);
  }

  /** Rewrites a waiting change, if there is one, because the card of its subscription has changed. */
  async followCard(subscription: Stripe.Subscription, key: string): Promise<void> {
    const next = await this.nextOf(subscription);
    if (next) await this.write(subscription, { running: runningItemOf(subscription), next }, key);
  }

  /** Writes the phases of a subscription's schedule. */
  async write(
    subscription: Stripe.Subscription,
    { running, next }: Phases,
    key: string,
  ): Promise<void> {
    const [{ current_period_start: start, current_period_end: end, price: current }] =
      subscription.items.data;
    const interval = planOfSku(next.plan.sku)?.interval;
    if (!interval) throw new UnfitObject(`the plan ${next.plan.sku} is no longer sold`);
    const kept = keptBy(subscription);
    const [now, then] = [running, next].map(({ price, quantity }) => ({
      items: [{ price, quantity }],
      proration_behavior: 'none' as const,
      ...kept,
    }));
    // Without this, Stripe would not bill a phase that has another interval.
    const anchor = current.recurring?.interval !== interval && {
      billing_cycle_anchor: 'phase_start' as const,
    };
    await this.stripe.subscriptionSchedules.update(
      idOf(subscription.schedule),
      {
        end_behavior: 'release',
        proration_behavior: 'none',
        phases: [
          { ...now, start_date: start, end_date: end },
          { ...then, ...anchor, duration: { interval, interval_count: 1 } },
        ],
      },
      { idempotencyKey: `schedule-phases:${key}` },
    );
  }
}

function runningItemOf({ items }: Stripe.Subscription): PhaseItem {
  const [{ price, quantity = 1 }] = items.data;
  return { price: price.id, quantity };
}

/** Returns what each phase must name, because Stripe takes away a subscription's card and discounts otherwise. */
const keptBy = ({ default_payment_method: card, discounts }: Stripe.Subscription) => ({
  ...(card && { default_payment_method: idOf(card) }),
  ...(discounts.length > 0 && { discounts: discounts.map((one) => ({ discount: idOf(one) })) }),
});
