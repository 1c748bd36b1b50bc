/** The owner of a mail address, as far as a log-in needs it. */
export interface FoundPerson {
  personId: string;
  accountId: string;
  passwordHash: string | null;
  /** Has the person logged in from this network before? */
  knowsNetwork: boolean;
}
