export interface FoundPerson {
  personId: string;
  accountId: string;
  passwordHash: string | null;
  /** When the owner last recovered the account with an e-mailed link. */
  takenBackAt: Date | null;
  /** Whether the person has logged in from this network before. */
  knowsNetwork: boolean;
}
