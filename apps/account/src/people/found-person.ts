/** Who has a mail address, as far as a log-in needs to know. */
export interface FoundPerson {
  personId: string;
  accountId: string;
  passwordHash: string | null;
  /** Has the person logged in from this network before? */
  knowsNetwork: boolean;
}
