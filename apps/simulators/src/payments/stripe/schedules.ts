import type { Stripe } from 'stripe';
import type { SubscriptionSchedule } from './stripe-objects.js';
import { StripeRefusal } from './requests/stripe-refusal.js';
import type { StripeWorld } from './stripe-world.js';
import type { Subscriptions } from './subscriptions.js';

/** Simulates subscription schedules with two phases: the current period, then other items. */
export class Schedules {
  constructor(
    private readonly world: StripeWorld,
    private readonly subscriptions: Subscriptions,
  ) {}

  /** `POST /v1/subscription_schedules` with `from_subscription`. */
  create({ from_subscription: id }: Stripe.SubscriptionScheduleCreateParams): SubscriptionSchedule {
    const subscription = this.subscriptions.running(String(id));
    if (subscription.schedule !== null) {
      const message = 'This subscription has a schedule already.';
      throw StripeRefusal.invalid('subscription_schedule_exists', message);
    }
    const [item] = subscription.items.data;
    const schedule = this.world.put({
      id: this.world.newId('subscription_schedule'),
      object: 'subscription_schedule',
      created: this.world.now,
      customer: subscription.customer,
      end_behavior: 'release',
      livemode: false,
      phases: [
        {
          start_date: item.current_period_start,
          end_date: item.current_period_end,
          billing_cycle_anchor: null,
          default_payment_method: subscription.default_payment_method as string | null,
          discounts: subscription.discounts,
          items: [{ price: item.price.id, quantity: item.quantity }],
        },
      ],
      status: 'active',
      subscription: subscription.id,
    } satisfies SubscriptionSchedule);
    subscription.schedule = schedule.id;
    this.world.emit('v1.customer.subscription.updated', subscription);
    return schedule;
  }

  /** `POST /v1/subscription_schedules/{id}`. */
  update(id: string, params: Stripe.SubscriptionScheduleUpdateParams): SubscriptionSchedule {
    const schedule = this.active(id);
    const phases = params.phases ?? [];
    let start = Number(phases[0]?.start_date ?? schedule.phases[0].start_date);
    schedule.phases = phases.map(({ items, ...asked }) => {
      const phase = {
        start_date: start,
        end_date: Number(asked.end_date ?? 0),
        billing_cycle_anchor: asked.billing_cycle_anchor ?? null,
        default_payment_method: asked.default_payment_method ?? null,
        discounts: (asked.discounts || []).map(
          ({ discount }) => this.world.get('coupon', discount).id,
        ),
        items: (items ?? []).map(({ price, quantity = 1 }) => ({
          price: this.world.get('price', price).id,
          quantity,
        })),
      };
      start = phase.end_date;
      return phase;
    });
    this.world.emit('v1.subscription_schedule.updated', schedule);
    const subscription = this.world.get('subscription', schedule.subscription);
    this.subscriptions.followPhase(subscription, schedule.phases[0]);
    // Stripe writes the end of the running phase there, which does not end the subscription.
    subscription.cancel_at = schedule.phases.length > 1 ? schedule.phases[0].end_date : null;
    this.world.emit('v1.customer.subscription.updated', subscription);
    return schedule;
  }

  /** `POST /v1/subscription_schedules/{id}/release`. */
  release(id: string): SubscriptionSchedule {
    const schedule = this.active(id);
    const subscription = this.world.get('subscription', schedule.subscription);
    schedule.status = 'released';
    subscription.schedule = null;
    subscription.cancel_at = null;
    this.world.emit('v1.subscription_schedule.released', schedule);
    this.world.emit('v1.customer.subscription.updated', subscription);
    return schedule;
  }

  private active(id: string): SubscriptionSchedule {
    const schedule = this.world.get('subscription_schedule', id);
    if (schedule.status === 'active') return schedule;
    throw StripeRefusal.invalid('resource_state_invalid', `This schedule is ${schedule.status}.`);
  }
}
