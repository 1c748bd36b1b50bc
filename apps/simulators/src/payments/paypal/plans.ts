import {
  type Money,
  type Plan,
  type Product,
  type Subscription,
  toCents,
  toMoney,
} from './paypal-objects.js';
import { PaypalRefusal } from './paypal-refusal.js';
import type { PaypalWorld } from './paypal-world.js';

interface PlanPatch {
  op: 'replace';
  path: string;
  value: boolean | number;
}

export class Plans {
  constructor(private readonly world: PaypalWorld) {}

  /** `POST /v1/catalogs/products`. */
  createProduct({ id, name, type }: Product): Product {
    if (this.world.all('product').some((product) => product.id === id)) {
      throw PaypalRefusal.unprocessable('DUPLICATE_RESOURCE_IDENTIFIER', 'It exists already.');
    }
    return this.world.put('product', id, { id, name, type });
  }

  /** `POST /v1/billing/plans`. */
  create(plan: Plan): Plan {
    this.world.get('product', plan.product_id);
    for (const { pricing_scheme: scheme } of plan.billing_cycles) {
      if (toCents(scheme.fixed_price) === 0) throw PaypalRefusal.zero();
    }
    const id = `P-${this.world.newId()}`;
    return this.world.put('plan', id, { ...plan, id, status: 'ACTIVE' });
  }

  /** `GET /v1/billing/plans`, in the short form of lists. */
  list(query: URLSearchParams): object {
    const size = Number(query.get('page_size') ?? 10);
    const start = (Number(query.get('page') ?? 1) - 1) * size;
    const productId = query.get('product_id');
    const found = this.world.all('plan').filter((plan) => plan.product_id === productId);
    const plans = found
      .slice(start, start + size)
      .map(({ id, product_id, name, description, status }) => {
        return { id, product_id, name, description, status };
      });
    return { plans };
  }

  /** Returns the amount for one period. @param price the price of a unit, if it differs from the plan's. */
  amountOf({ plan_id: planId, quantity }: Subscription, price?: Money): Money {
    const [{ pricing_scheme: own }] = this.world.get('plan', planId).billing_cycles;
    const unit = price ?? own.fixed_price;
    return toMoney(toCents(unit) * Number(quantity), unit.currency_code);
  }

  monthsOf({ plan_id: planId }: Subscription): number {
    const [{ frequency }] = this.world.get('plan', planId).billing_cycles;
    return frequency.interval_unit === 'YEAR' ? 12 : 1;
  }

  preferencesOf({ plan_id: planId }: Subscription): Plan['payment_preferences'] {
    return this.world.get('plan', planId).payment_preferences;
  }

  /** `PATCH /v1/billing/plans/{id}`: changes only what happens if a payment fails. */
  patch(id: string, patches: readonly PlanPatch[]): void {
    const { payment_preferences: preferences } = this.world.get('plan', id);
    for (const { path, value } of patches) {
      const [, name = ''] = /^\/payment_preferences\/(\w+)$/.exec(path) ?? [];
      if (!(name in preferences)) {
        throw PaypalRefusal.invalid('INVALID_PATCH_PATH', `${path} cannot be patched.`);
      }
      Object.assign(preferences, { [name]: value });
    }
  }
}
