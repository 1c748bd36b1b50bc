/** The order, subscription or invoice for which a tax was decided. */
export interface TaxSubject {
  accountId: string;
  subjectId: string;
}
