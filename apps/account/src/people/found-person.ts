export interface FoundPerson {
  personId: string;
  accountId: string;
  passwordHash: string | null;
  /** Whether the person has logged in from this network before. */
  knowsNetwork: boolean;
}
