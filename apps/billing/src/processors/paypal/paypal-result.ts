import type { CallResult } from '../payment-processor.js';
import { UnfitObject } from '../unfit-object.js';
import { PaypalRefusal, PaypalUnreachable } from './paypal-connection.js';

/** Statuses that leave open whether the call is carried out; after 401, the secret may be in rotation. */
const UNDECIDED_STATUSES = [401, 408, 409, 425, 429];
/** The issue that PayPal reports while the first call with a key is still running. */
const UNDECIDED_ISSUE = /_IN_PROGRESS$/;

export function isDecided({ status, issue }: PaypalRefusal): boolean {
  return !UNDECIDED_STATUSES.includes(status) && !UNDECIDED_ISSUE.test(issue);
}

const DECLINED_ISSUES = [
  'CARD_EXPIRED',
  'COMPLIANCE_VIOLATION',
  'DOMESTIC_TRANSACTION_REQUIRED',
  'INSTRUMENT_DECLINED',
  'MAX_NUMBER_OF_PAYMENT_ATTEMPTS_EXCEEDED',
  'PAYEE_BLOCKED_TRANSACTION',
  'PAYER_ACCOUNT_LOCKED_OR_CLOSED',
  'PAYER_ACCOUNT_RESTRICTED',
  'PAYER_ACTION_REQUIRED',
  'PAYER_CANNOT_PAY',
  'PAYMENT_DENIED',
  'REDIRECT_PAYER_FOR_ALTERNATE_FUNDING',
  'TRANSACTION_BLOCKED_BY_PAYEE',
  'TRANSACTION_LIMIT_EXCEEDED',
  'TRANSACTION_REFUSED',
];

/** Whether the customer agreed but the payment method was declined. Another payment method may work. */
export const isDeclined = ({ issue }: PaypalRefusal) => DECLINED_ISSUES.includes(issue);

/**
 * Runs calls to PayPal. PayPal's refusals, and objects that do not fit, are returned as `refused`; everything that
 * leaves the outcome open is `unknown`.
 */
export async function resultOf<T>(calls: () => Promise<T>): Promise<CallResult<T>> {
  try {
    return { outcome: 'done', value: await calls() };
  } catch (error) {
    if (error instanceof UnfitObject) {
      return { outcome: 'refused', code: 'unfit_object', message: error.message };
    }
    if (error instanceof PaypalRefusal && isDecided(error)) {
      return { outcome: 'refused', code: error.issue.toLowerCase(), message: error.message };
    }
    if (error instanceof PaypalRefusal || error instanceof PaypalUnreachable) {
      return { outcome: 'unknown', cause: error };
    }
    throw error;
  }
}
