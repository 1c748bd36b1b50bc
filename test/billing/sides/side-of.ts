import type { ChosenProcessor } from '#libs/contracts';
import { PaypalSide } from './paypal-side.js';
import type { Sided } from './processor-side.js';
import { StripeSide } from './stripe-side.js';

export const BOTH = ['stripe', 'paypal'] as const;

/** A processor as its customers and banks see it: everything that happens there without billing. */
export type ProcessorSide = StripeSide | PaypalSide;

export function sideOf(sided: Sided, name: ChosenProcessor): ProcessorSide {
  return name === 'stripe' ? new StripeSide(sided) : new PaypalSide(sided);
}
