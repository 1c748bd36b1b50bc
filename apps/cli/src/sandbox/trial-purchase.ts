import { CATALOGUE_VERSION, offeredPlans } from '#libs/contracts';
import { type Clock, HOUR_MS, newId } from '#libs/platform';
import type { CallResult, PaymentProcessor } from '../declared.js';
import { type Patience, type SandboxStep, until } from './sandbox-run.js';

const PACKAGE_MICROS = 10_000_000n;

/** Returns the value of a successful call. @throws Error with the processor's message, or why there is no answer. */
export function valueOf<T>(outcome: CallResult<T>): T {
  if (outcome.outcome === 'done') return outcome.value;
  if (outcome.outcome === 'refused') throw new Error(`${outcome.code}: ${outcome.message}`);
  throw new Error(`no answer: ${String(outcome.cause)}`);
}

/** Makes purchases with billing's own calls. The operator pays on the processor's page. */
export class TrialPurchases {
  private readonly accountId = newId();

  constructor(
    private readonly processor: PaymentProcessor,
    private readonly clock: Clock,
    private readonly patience: Patience,
    private readonly pay: string,
  ) {}

  /**
   * Returns the steps that buy a package and refund it. `checkoutDoes` and `refundDoes` describe
   * their requests.
   */
  packageSteps(checkoutDoes: string, refundDoes: string): SandboxStep[] {
    let payment: { id: string; amountMicros: bigint } | undefined;
    return [
      {
        title: 'Checkout of a package',
        does: checkoutDoes,
        run: async () => {
          ({ payment } = await this.paid(undefined, undefined));
          if (!payment) throw new Error('the checkout is paid but has no payment');
          return `paid: ${dollars(payment.amountMicros)}, ${payment.id}`;
        },
      },
      { title: 'Refund', does: refundDoes, run: () => this.refund(payment!) },
    ];
  }

  private async refund({ id: paymentId, amountMicros }: { id: string; amountMicros: bigint }) {
    const asked = { refundId: newId(), paymentId, amountMicros };
    const { id } = valueOf(await this.processor.refund(asked));
    return until('the refund', this.patience, async () => {
      const found = valueOf(await this.processor.fetch({ kind: 'refund', id }));
      if (found.kind !== 'refund' || found.state === 'failed') throw new Error('it failed');
      if (found.state !== 'succeeded') return undefined;
      return `refunded: ${dollars(found.amountMicros)}, ${id}`;
    });
  }

  /**
   * Buys the first monthly plan.
   * @param customerId the customer at the processor; undefined to create one.
   * @returns the id of the subscription.
   * @throws Error if it was not paid in time, or if the checkout failed or started no subscription.
   */
  async takePlan(customerId: string | undefined): Promise<string> {
    const [plan] = monthlyPlans();
    const paid = await this.paid(plan, customerId);
    if (!paid.subscriptionId) throw new Error('the checkout is paid but started no subscription');
    return paid.subscriptionId;
  }

  /** Schedules the second monthly plan for the end of the period. @returns its SKU. */
  async scheduleNextPlan(subscriptionId: string): Promise<string> {
    const [, plan] = monthlyPlans();
    const change = { subscriptionId, plan, quantity: 1, currency: 'USD' };
    valueOf(await this.processor.changeAtPeriodEnd(change, newId()));
    return plan.sku;
  }

  async subscription(id: string) {
    const snapshot = valueOf(await this.processor.fetch({ kind: 'subscription', id }));
    if (snapshot.kind !== 'subscription') throw new Error(`${id} is not a subscription`);
    return snapshot;
  }

  private async paid(
    plan: Parameters<PaymentProcessor['createCheckout']>[0]['lines'][number]['plan'],
    customerId: string | undefined,
  ) {
    const amountMicros = plan?.unitMicros ?? PACKAGE_MICROS;
    const name = plan?.name ?? 'Sandbox trial of a package';
    const request = {
      orderId: newId(),
      accountId: this.accountId,
      customerId,
      currency: 'USD',
      lines: [{ name, quantity: 1, amountMicros, taxMicros: 0n, taxPpm: 0, plan }],
      expiresAt: new Date(this.clock.now().getTime() + HOUR_MS),
      successUrl: 'https://example.com/paid',
      cancelUrl: 'https://example.com/not-paid',
    };
    const { checkoutId, redirectUrl } = valueOf(await this.processor.createCheckout(request));
    this.patience.say(`  Open ${redirectUrl}`);
    this.patience.say(`  ${this.pay}`);
    return until('the payment', this.patience, async () => {
      const found = valueOf(await this.processor.fetch({ kind: 'checkout', id: checkoutId }));
      if (found.kind !== 'checkout') throw new Error(`${checkoutId} is not a checkout`);
      if (found.state === 'failed' || found.state === 'expired') {
        throw new Error(`the checkout is ${found.state}`);
      }
      return found.state === 'paid' ? found : undefined;
    });
  }
}

/** The monthly plans in the order of the catalogue, as billing passes them to processors. */
const monthlyPlans = () =>
  offeredPlans()
    .filter((plan) => plan.interval === 'month')
    .map(({ sku, interval, name, unitMicros }) => ({
      sku,
      catalogueVersion: CATALOGUE_VERSION,
      interval,
      name,
      unitMicros: BigInt(unitMicros),
      taxPpm: 0,
    }));

const dollars = (micros: bigint) => `${(Number(micros) / 1e6).toFixed(2)} USD`;
