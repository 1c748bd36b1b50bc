/** An order, a subscription or an invoice, whose tax was decided. */
export interface TaxSubject {
  accountId: string;
  subjectId: string;
}
