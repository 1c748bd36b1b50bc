import { IsBoolean, IsInt } from 'class-validator';
import { dashboardCall } from '../dashboard-call.js';
import { defineOperation } from '../operation.js';
import { IsNullable } from '../../nullable.js';

export class TaxAnswer {
  /** Millionths of a price: 190,000 is 19 %. Null while the required billing details are missing. */
  @IsNullable()
  @IsInt()
  tax_ppm: number | null;

  /** Whether the buyer is a business that owes the tax itself. */
  @IsBoolean()
  is_reverse_charge: boolean;
}

export const TAX = defineOperation({
  ...dashboardCall('billing', 'GET /api/tax'),
  name: 'tax.read',
  summary: 'The tax on an order, according to the billing details of the account',
  description:
    'The tax on one unit is rounded half up to the cent, then multiplied by the number of units.',
  answers: [{ type: 'application/json', of: TaxAnswer }],
  problems: ['billing_details_missing'],
  examples: [
    { title: 'In Germany', parameters: {}, answer: { tax_ppm: 190_000, is_reverse_charge: false } },
  ],
});
