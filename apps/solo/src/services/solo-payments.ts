import { randomBytes } from 'node:crypto';
import type { Clock } from '#libs/platform';
import type { Settings } from '#libs/services';
import { PaymentsSimulator } from '../../../simulators/src/payments/payments-simulator.js';
import type { ShutdownOrder } from './shutdown-order.js';
import { isDashboardAtHome } from './solo-settings.js';

/**
 * Whether money is simulated: nobody has set a processor's key (a blank one means no billing at all), and
 * everybody who reaches the dashboard is at home. Elsewhere credits would be there for the asking.
 */
export function isPaymentSimulated(settings: Settings): boolean {
  if (settings.STRIPE_API_KEY !== undefined || settings.STRIPE_API_KEY_FILE !== undefined) {
    return false;
  }
  return isDashboardAtHome(settings);
}

/** Starts the simulated processor and tells billing of it, as a real one would be told of. */
export async function startPayments(
  settings: Settings,
  clock: Clock,
  shutdown: ShutdownOrder,
): Promise<PaymentsSimulator> {
  const payments = new PaymentsSimulator(clock);
  payments.world.adoptsCustomers = true;
  const url = await payments.start();
  shutdown.add('payments simulator', () => payments.stop());
  const secret = randomBytes(32).toString('base64url');
  settings.STRIPE_API_KEY = 'sk_test_simulator';
  settings.STRIPE_API_URL = url;
  settings.STRIPE_CALLBACK_SECRETS = secret;
  payments.sendCallbacksTo({
    url: new URL('/callbacks/stripe', settings.BILLING_URL).href,
    secret,
  });
  return payments;
}
