import type { ChosenProcessor } from '#libs/contracts';
import type { BillingUnderTest } from '../billing-under-test.js';
import { PaypalSide } from './paypal-side.js';
import type { ProcessorSide } from './processor-side.js';
import { StripeSide } from './stripe-side.js';

/** The processors on which every story of billing runs. */
export const BOTH = ['stripe', 'paypal'] as const;

export function sideOf(billing: BillingUnderTest, name: ChosenProcessor): ProcessorSide {
  return name === 'stripe' ? new StripeSide(billing) : new PaypalSide(billing);
}
