import { percentText } from '../tax/tax-rates.js';
import type { PlanRef } from './payment-processor.js';

/** A rate as it stands in what processors keep for us. */
export const TAX_PPM = /^\d{1,6}$/;

/** As a processor's page names a plan, whose price includes its tax. */
export const planNameOf = ({ name, taxPpm }: Pick<PlanRef, 'name' | 'taxPpm'>) =>
  taxPpm === 0 ? name : `${name}, ${percentText(taxPpm)} % tax included`;

/** The name under which a processor keeps the price of a plan. */
export function priceKeyOf(
  { sku, catalogueVersion, taxPpm }: Pick<PlanRef, 'sku' | 'catalogueVersion' | 'taxPpm'>,
  currency: string,
): string {
  return [sku, catalogueVersion, currency, ...(taxPpm === 0 ? [] : [`tax${taxPpm}`])].join(':');
}
