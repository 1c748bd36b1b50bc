export interface TaxSubject {
  accountId: string;
  subjectId: string;
}
