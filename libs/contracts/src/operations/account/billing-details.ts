import { IsISO31661Alpha2, Matches } from 'class-validator';
import { Nested } from '../../members.js';
import { dashboardCall } from '../dashboard-call.js';
import { defineOperation } from '../operation.js';
import { IsInvoiceLine, MayBeAbsent } from './text-rules.js';
import { IsNullable } from '../../nullable.js';

export interface BillingDetails {
  organisation?: string;
  tax_id?: string;
  address_line1: string;
  address_line2?: string;
  city: string;
  region?: string;
  postal_code?: string;
  /** ISO 3166-1 alpha-2. */
  country: string;
  /** The customer's own order number, printed on invoices. */
  purchase_order?: string;
}

/** The recipient's details on invoices. */
export class PutBillingDetailsRequest implements BillingDetails {
  @MayBeAbsent()
  @IsInvoiceLine(150)
  organisation?: string;

  @MayBeAbsent()
  @IsInvoiceLine(30)
  tax_id?: string;

  @IsInvoiceLine(150)
  address_line1: string;

  @MayBeAbsent()
  @IsInvoiceLine(150)
  address_line2?: string;

  @IsInvoiceLine(100)
  city: string;

  @MayBeAbsent()
  @IsInvoiceLine(100)
  region?: string;

  @MayBeAbsent()
  @IsInvoiceLine(20)
  postal_code?: string;

  /** ISO 3166-1 alpha-2. */
  @IsISO31661Alpha2()
  @Matches(/^[A-Z]{2}$/, { message: 'country must be two capital letters' })
  country: string;

  /** The customer's own order number, printed on invoices. */
  @MayBeAbsent()
  @IsInvoiceLine(50)
  purchase_order?: string;
}

export class BillingDetailsAnswer {
  /** Null until details are entered. */
  @IsNullable()
  @Nested(() => PutBillingDetailsRequest)
  details: PutBillingDetailsRequest | null;
}

const DETAILS = {
  organisation: 'Example AG',
  tax_id: 'ATU12345678',
  address_line1: '1 Example Street',
  city: 'Vienna',
  postal_code: '1010',
  country: 'AT',
} satisfies PutBillingDetailsRequest;

export const BILLING_DETAILS = defineOperation({
  ...dashboardCall('account', 'GET /api/billing-details'),
  name: 'billing-details.read',
  summary: 'The billing details for invoices',
  answers: [{ type: 'application/json', of: BillingDetailsAnswer }],
  problems: [],
  examples: [
    { title: 'An organisation', parameters: {}, answer: { details: DETAILS } },
    { title: 'None yet', parameters: {}, answer: { details: null } },
  ],
});

export const BILLING_DETAILS_PUT = defineOperation({
  ...dashboardCall('account', 'PUT /api/billing-details'),
  name: 'billing-details.put',
  access: { kind: 'session', isPaced: true },
  summary: 'Replaces all billing details for invoices',
  body: { of: PutBillingDetailsRequest, limitBytes: 65_536, example: DETAILS },
  answers: [{ type: 'application/json', of: BillingDetailsAnswer }],
  problems: [],
  examples: [{ title: 'An organisation', parameters: {}, answer: { details: DETAILS } }],
});
