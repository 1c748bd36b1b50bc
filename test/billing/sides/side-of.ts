import type { ChosenProcessor } from '#libs/contracts';
import { PaypalSide } from './paypal-side.js';
import type { ProcessorSide, Sided } from './processor-side.js';
import { StripeSide } from './stripe-side.js';

/** The processors on which every story of billing runs. */
export const BOTH = ['stripe', 'paypal'] as const;

export function sideOf(sided: Sided, name: ChosenProcessor): ProcessorSide {
  return name === 'stripe' ? new StripeSide(sided) : new PaypalSide(sided);
}
