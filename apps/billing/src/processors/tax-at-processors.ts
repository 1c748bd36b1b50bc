import { percentText } from '../tax/tax-rates.js';
import type { PlanRef } from './payment-processor.js';

export const TAX_PPM = /^\d{1,6}$/;

/** Returns the name of a plan on a processor's page. The plan's price includes the tax. */
export const planNameOf = ({ name, taxPpm }: Pick<PlanRef, 'name' | 'taxPpm'>) =>
  taxPpm === 0 ? name : `${name}, ${percentText(taxPpm)} % tax included`;

export function priceKeyOf(
  { sku, catalogueVersion, taxPpm }: Pick<PlanRef, 'sku' | 'catalogueVersion' | 'taxPpm'>,
  currency: string,
): string {
  return [sku, catalogueVersion, currency, ...(taxPpm === 0 ? [] : [`tax${taxPpm}`])].join(':');
}
