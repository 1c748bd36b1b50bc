import { IsBoolean, IsInt } from 'class-validator';
import { dashboardCall } from '../dashboard-call.js';
import { defineOperation } from '../operation.js';
import { IsNullable } from '../reading/nullable.js';

export class TaxAnswer {
  /** Millionths of a price: 190,000 is 19 %. Null while the billing details it depends on are missing. */
  @IsNullable()
  @IsInt()
  tax_ppm: number | null;

  /** The buyer is a business that owes the tax itself. */
  @IsBoolean()
  is_reverse_charge: boolean;
}

export const TAX = defineOperation({
  ...dashboardCall('billing', 'GET /api/tax'),
  name: 'tax.read',
  summary: 'The tax on what the account orders now, by its billing details',
  description:
    'The tax on a unit is rounded to the cent, half up, and taken as often as there are units.',
  answers: [{ type: 'application/json', of: TaxAnswer }],
  problems: ['billing_details_missing'],
  examples: [
    { title: 'In Germany', parameters: {}, answer: { tax_ppm: 190_000, is_reverse_charge: false } },
  ],
});
