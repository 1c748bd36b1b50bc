/** An order, a subscription or an invoice for which a tax was decided. */
export interface TaxSubject {
  accountId: string;
  subjectId: string;
}
