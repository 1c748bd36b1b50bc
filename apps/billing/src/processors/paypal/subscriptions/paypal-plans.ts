import type { BillingInterval } from '#libs/contracts';
import type { Micros } from '#libs/platform';
import type { BilledPlan, PlanRef } from '../../payment-processor.js';
import { UnfitObject } from '../../unfit-object.js';
import { planNameOf, priceKeyOf } from '../../tax-at-processors.js';
import { PaypalRefusal } from '../paypal-connection.js';
import { currencyOf, idOf, microsOf, toMoney } from '../paypal-objects.js';
import { isDecided } from '../paypal-result.js';
import type { PaypalPlan, PlanRequest, SubscriptionsClient } from './subscriptions-client.js';

/** One of our plans, as represented by a PayPal plan. */
export interface PricedPlan {
  id: string;
  sku: string;
  catalogueVersion: string;
  taxPpm: number;
  currency: string;
  interval: BillingInterval;
  unitMicros: Micros;
}

const PRODUCT_ID = 'DOMAIN-DATA-SERVICE';
const PRODUCT = { id: PRODUCT_ID, name: 'Domain Data Service', type: 'SERVICE' } as const;
const PAGES_MAX = 100;
/**
 * What PayPal does if a payment fails. It tries again five and ten days later; the last attempt comes after the 7 days
 * of grace. If that fails as well, PayPal counts one failure and, with this threshold, suspends the subscription.
 * Otherwise, it would charge for the next period together with the unpaid one, in which the plan did not work.
 */
const ON_FAILURE = { auto_bill_outstanding: false, payment_failure_threshold: 1 } as const;
const UNITS = { month: 'MONTH', year: 'YEAR' } as const;
const KEY = /^([\w-]{1,40}):([\w.-]{1,20}):([A-Z]{3})(?::tax(\d{1,6}))?$/;

/**
 * Keeps our plans as plans of the PayPal account, identified by their description. Each plan is created when it is
 * first needed and never changes, so it is cached after the first read.
 */
export class PaypalPlans {
  private readonly byKey = new Map<string, PricedPlan>();
  private readonly byId = new Map<string, PricedPlan>();

  constructor(private readonly client: SubscriptionsClient) {}

  /** @throws UnfitObject if the PayPal account has a plan with this name at a different price. */
  async find(plan: PlanRef, currency: string): Promise<PricedPlan> {
    const key = priceKeyOf(plan, currency);
    const known = this.byKey.get(key);
    if (known) return known;
    const id = (await this.search(key)) ?? (await this.create(key, plan, currency));
    const priced = await this.get(id);
    if (priced.unitMicros !== plan.unitMicros || priced.interval !== plan.interval) {
      throw new UnfitObject(`the plan ${id} of ${key} has a different price`);
    }
    this.byKey.set(key, priced);
    return priced;
  }

  /**
   * Returns a plan that was sold earlier, at its price then. @throws UnfitObject if the PayPal account has no such
   * plan.
   */
  async named(plan: BilledPlan, currency: string): Promise<PricedPlan> {
    const key = priceKeyOf(plan, currency);
    const known = this.byKey.get(key);
    if (known) return known;
    const id = await this.search(key);
    if (id === undefined) throw new UnfitObject(`there is no plan ${key}`);
    const priced = await this.get(id);
    this.byKey.set(key, priced);
    return priced;
  }

  /** @throws UnfitObject for a plan that is not one of ours. */
  async get(id: string): Promise<PricedPlan> {
    const known = this.byId.get(id);
    if (known) return known;
    const plan = await this.client.getPlan(id);
    const priced = pricedPlan(plan);
    await this.update(plan);
    this.byId.set(id, priced);
    return priced;
  }

  /** Corrects what PayPal does if a payment fails, in a plan that an earlier release created. */
  private async update({ id, payment_preferences: known = {} }: PaypalPlan): Promise<void> {
    const wrong = Object.entries({ ...ON_FAILURE }).filter(
      ([name, value]) => known[name as keyof typeof ON_FAILURE] !== value,
    );
    if (wrong.length === 0) return;
    const patches = wrong.map(([name, value]) => {
      return { op: 'replace', path: `/payment_preferences/${name}`, value } as const;
    });
    try {
      await this.client.patchPlan(idOf(id), patches);
    } catch (error) {
      // A plan that the operator has deactivated cannot be changed, but can still be read.
      if (!(error instanceof PaypalRefusal) || !isDecided(error)) throw error;
    }
  }

  private async search(key: string): Promise<string | undefined> {
    if (!(await this.hasProduct())) {
      await this.client.createProduct(PRODUCT, `product:${PRODUCT_ID}`);
      return undefined;
    }
    for (let page = 1; page <= PAGES_MAX; page += 1) {
      const { plans, isLast } = await this.client.listPlans(PRODUCT_ID, page);
      const found = plans.find(({ description }) => description === key);
      if (found) return idOf(found.id);
      if (isLast) return undefined;
    }
    throw new UnfitObject('the list of plans has no end');
  }

  private async hasProduct(): Promise<boolean> {
    try {
      await this.client.getProduct(PRODUCT_ID);
      return true;
    } catch (error) {
      if (error instanceof PaypalRefusal && error.status === 404) return false;
      throw error;
    }
  }

  private async create(key: string, plan: PlanRef, currency: string): Promise<string> {
    const request: PlanRequest = {
      product_id: PRODUCT_ID,
      name: planNameOf(plan),
      description: key,
      status: 'ACTIVE',
      quantity_supported: true,
      billing_cycles: [
        {
          frequency: { interval_unit: UNITS[plan.interval], interval_count: 1 },
          tenure_type: 'REGULAR',
          sequence: 1,
          total_cycles: 0,
          pricing_scheme: { fixed_price: toMoney(plan.unitMicros, currency) },
        },
      ],
      payment_preferences: ON_FAILURE,
    };
    return idOf((await this.client.createPlan(request, `plan:${key}`)).id);
  }
}

function pricedPlan({ id, description, billing_cycles: cycles }: PaypalPlan): PricedPlan {
  const [, sku, catalogueVersion, currency, rate = '0'] = KEY.exec(String(description)) ?? [];
  const [cycle] = cycles ?? [];
  const price = cycle?.pricing_scheme?.fixed_price;
  const { interval_unit: unit, interval_count: count = 1 } = cycle?.frequency ?? {};
  const isKnown = sku && catalogueVersion && (unit === 'MONTH' || unit === 'YEAR') && count === 1;
  if (!isKnown || currencyOf(price) !== currency) {
    throw new UnfitObject(`the plan ${String(id)} is not one of ours`);
  }
  const interval = unit === 'YEAR' ? 'year' : 'month';
  const named = { id: idOf(id), sku, catalogueVersion, taxPpm: Number(rate) };
  return { ...named, currency, interval, unitMicros: microsOf(price) };
}
