import { Stripe } from 'stripe';
import { newId } from '#libs/platform';
import type { PlanRef } from '../payment-processor.js';
import { UnfitObject } from '../unfit-object.js';
import { TAX_PPM, planNameOf, priceKeyOf } from '../tax-at-processors.js';
import { toCents } from './stripe-snapshots.js';

/** One of our plans, as represented by a price at Stripe. */
export interface PricedPlan {
  sku: string;
  catalogueVersion: string;
  taxPpm: number;
}

/**
 * Keeps our plans as prices of the Stripe account. Each price is created when it is first needed, is found by its
 * lookup key afterwards, and never changes, so it is cached after the first read.
 */
export class StripePrices {
  private readonly ids = new Map<string, string>();
  private readonly plans = new Map<string, PricedPlan>();

  constructor(private readonly stripe: Stripe) {}

  /** @throws UnfitObject if the price under this name in the Stripe account has a different amount. */
  async idOf(plan: PlanRef, currency: string): Promise<string> {
    const key = priceKeyOf(plan, currency);
    const known = this.ids.get(key);
    if (known !== undefined) return known;
    const price = (await this.find(key)) ?? (await this.create(key, plan, currency));
    if (price.unit_amount !== toCents(plan.unitMicros)) {
      throw new UnfitObject(`the price ${price.id} of ${key} has a different amount`);
    }
    this.ids.set(key, price.id);
    return price.id;
  }

  /** @throws UnfitObject for a price that is not one of ours. */
  async planOf(price: string | Stripe.Price): Promise<PricedPlan> {
    const plan = await this.ownPlanOf(price);
    if (plan) return plan;
    throw new UnfitObject(
      `the price ${typeof price === 'string' ? price : price.id} is not one of ours`,
    );
  }

  /**
   * Returns our plan behind a price; undefined for a price that is not ours, such as that of an item that an operator
   * added to a bill.
   */
  async ownPlanOf(price: string | Stripe.Price | undefined): Promise<PricedPlan | undefined> {
    if (price === undefined) return undefined;
    const id = typeof price === 'string' ? price : price.id;
    const known = this.plans.get(id);
    if (known) return known;
    const { metadata } = typeof price === 'object' ? price : await this.stripe.prices.retrieve(id);
    const { sku, catalogueVersion, taxPpm: rate = '0' } = metadata;
    if (!sku || !catalogueVersion || !TAX_PPM.test(rate)) return undefined;
    const plan = { sku, catalogueVersion, taxPpm: Number(rate) };
    this.plans.set(id, plan);
    return plan;
  }

  private async find(key: string): Promise<Stripe.Price | undefined> {
    const { data } = await this.stripe.prices.list({ lookup_keys: [key] });
    return data.at(0);
  }

  /**
   * Creates a price. Each attempt has its own idempotency key, because Stripe repeats its answer to a key, even an
   * error, for a day. If another process has created the price in the meantime, Stripe refuses the lookup key, and the
   * price is found.
   */
  private async create(key: string, plan: PlanRef, currency: string): Promise<Stripe.Price> {
    const { sku, catalogueVersion, interval, unitMicros, taxPpm } = plan;
    try {
      return await this.stripe.prices.create(
        {
          currency: currency.toLowerCase(),
          unit_amount: toCents(unitMicros),
          recurring: { interval },
          product_data: { name: planNameOf(plan) },
          lookup_key: key,
          metadata: { sku, catalogueVersion, taxPpm },
        },
        { idempotencyKey: `price:${newId()}` },
      );
    } catch (error) {
      const isRefused = error instanceof Stripe.errors.StripeInvalidRequestError;
      const made = isRefused ? await this.find(key) : undefined;
      if (made) return made;
      throw error;
    }
  }
}
