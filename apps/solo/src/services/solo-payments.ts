import { randomBytes } from 'node:crypto';
import type { Clock } from '#libs/platform';
import type { Settings } from '#libs/services';
import { PaymentsSimulator } from '../../../simulators/src/payments/payments-simulator.js';
import { PAYPAL_PATH } from '../../../simulators/src/payments/paypal/paypal-simulator.js';
import type { ShutdownOrder } from './shutdown-order.js';
import { REAL_PROCESSORS, isDashboardAtHome } from './solo-settings.js';

/**
 * Whether money is simulated: no processor key is set (a blank key means no billing at all), and only people on this
 * machine can reach the dashboard. Otherwise, anybody could get credits without paying.
 */
export function isPaymentSimulated(settings: Settings): boolean {
  const isOperators = REAL_PROCESSORS.some((env) => settings[env] !== undefined);
  return !isOperators && isDashboardAtHome(settings);
}

/** Starts the simulated processors and adds billing's settings for them to `settings`. */
export async function startPayments(
  settings: Settings,
  clock: Clock,
  shutdown: ShutdownOrder,
  /** The file in which the simulators store their state; if undefined, they store none. */
  journalPath?: string,
): Promise<PaymentsSimulator> {
  const payments = new PaymentsSimulator(clock);
  const url = await payments.start(0, journalPath);
  shutdown.add('payments simulator', () => payments.stop());
  const secret = randomBytes(32).toString('base64url');
  settings.STRIPE_API_KEY = 'sk_test_simulator';
  settings.STRIPE_API_URL = url;
  settings.STRIPE_CALLBACK_SECRETS = secret;
  settings.BILLING_PAYPAL_CLIENT_ID = 'simulator';
  settings.BILLING_PAYPAL_CLIENT_SECRET = randomBytes(32).toString('base64url');
  settings.BILLING_PAYPAL_API_URL = `${url}${PAYPAL_PATH}`;
  settings.BILLING_PAYPAL_WEBHOOK_IDS = randomBytes(8).toString('hex');
  settings.BILLING_PAYPAL_CALLBACK_CA = payments.paypal.identity.authorityPem;
  const callbackUrl = (name: string) => new URL(`/callbacks/${name}`, settings.BILLING_URL).href;
  payments.sendCallbacksTo({ url: callbackUrl('stripe'), secret });
  payments.paypal.callbacks.target = {
    url: callbackUrl('paypal'),
    secret: settings.BILLING_PAYPAL_WEBHOOK_IDS,
  };
  return payments;
}
