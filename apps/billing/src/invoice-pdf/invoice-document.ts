import { type InvoiceKind, isInvoiceText } from '#libs/contracts';
import type { Micros } from '#libs/platform';
import type { BillingConfig } from '../billing.config.js';
import type { Contact } from '../contacts/contacts.service.js';

export interface Seller {
  name: string;
  address: string[];
  taxId: string | null;
}

/** The buyer, with the billing details at the time when the revision was printed. */
export interface Buyer {
  name: string;
  /** The person who bought on behalf of a company. */
  contact: string | null;
  email: string;
  address: string[];
  taxId: string | null;
  purchaseOrder: string | null;
}

export interface PaidBy {
  processor: string;
  /**
   * The processor's name as printed: `PayPal`. Invoices of 0.1.0 lack this field; their reprints name the processor as
   * the originals did.
   */
  title?: string;
  reference: string;
}

export interface InvoiceDocument {
  kind: InvoiceKind;
  number: string;
  issuedAt: Date;
  /** The number of the corrected invoice; null for an invoice. */
  corrects: string | null;
  revision: number;
  printedAt: Date;
  seller: Seller;
  /** The buyer; null for an erased account. */
  buyer: Buyer | null;
  accountId: string;
  lines: readonly { text: string; quantity: number; netMicros: string; taxPpm: number }[];
  taxMicros: Micros;
  isReverseCharge: boolean;
  totalMicros: Micros;
  /** An amount paid in addition to the total, carried over from another bill; negative if carried to another bill. */
  carriedMicros: Micros;
  currency: string;
  paidBy: PaidBy;
}

const COUNTRIES = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** @param code ISO 3166-1 alpha-2. */
const countryOf = (code: string) => COUNTRIES.of(code) ?? code;

export function sellerOf(config: BillingConfig): Seller {
  const { sellerName: name, sellerAddress, sellerTaxId: taxId = null } = config;
  return { name, address: sellerAddress, taxId };
}

export function buyerOf({ firstName, email, details }: Contact): Buyer {
  const {
    organisation,
    tax_id: taxId = null,
    purchase_order: purchaseOrder = null,
  } = details ?? {};
  const place = [details?.postal_code, details?.city].filter(Boolean).join(' ');
  const address = [
    details?.address_line1,
    details?.address_line2,
    place,
    details?.region,
    details ? countryOf(details.country) : undefined,
  ];
  // People's names may use any script.
  const person = isInvoiceText(firstName) ? firstName : null;
  return {
    name: organisation ?? person ?? email,
    contact: organisation === undefined ? null : person,
    email,
    address: address.filter((line): line is string => line !== undefined && line !== ''),
    taxId,
    purchaseOrder,
  };
}
