import { Stripe } from 'stripe';
import type { CallResult } from '../payment-processor.js';
import { UnfitObject } from '../unfit-object.js';

/**
 * Statuses that leave the outcome open: Stripe refused our API key (during a rotation), is still running the first call
 * with this idempotency key, or got too many requests.
 */
const UNDECIDED_STATUSES = [401, 409, 429];

/**
 * Runs calls to Stripe. Stripe's refusals, and objects that do not fit, are returned as `refused`; everything that
 * leaves the outcome open (no answer, a broken body, a 5xx) is `unknown`.
 */
export async function resultOf<T>(call: () => Promise<T>): Promise<CallResult<T>> {
  try {
    return { outcome: 'done', value: await call() };
  } catch (error) {
    if (error instanceof UnfitObject) {
      return { outcome: 'refused', code: 'unfit_object', message: error.message };
    }
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    const { statusCode = 0, code, type, message } = error;
    const isDecided =
      statusCode >= 400 && statusCode < 500 && !UNDECIDED_STATUSES.includes(statusCode);
    if (!isDecided) return { outcome: 'unknown', cause: error };
    return { outcome: 'refused', code: code ?? type, message };
  }
}
