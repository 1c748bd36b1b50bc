import type { PutBillingDetailsRequest } from '#libs/contracts';

/** What billing needs to address an invoice; internal, so in camel case around the stored details. */
export interface BillingContact {
  firstName: string;
  email: string;
  details: PutBillingDetailsRequest | null;
}
