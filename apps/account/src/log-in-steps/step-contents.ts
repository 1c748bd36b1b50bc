import type { Provider } from '#libs/contracts';

/** The state that the visitor must bring back unchanged from the provider. */
export interface AskedProvider {
  provider: Provider;
  state: string;
  /** The nonce; empty for OAuth, which has no ID token that repeats it. */
  nonce: string;
  verifier: string;
}

/** An identity to be added once the account's owner has also logged in. */
export interface PendingIdentity {
  provider: Provider;
  /** The provider's own id of the person, which outlives a change of address. */
  subject: string;
  /** The address; undefined unless the provider has verified it. */
  address?: string;
}

/** The data that the next step needs, by its kind. */
export interface StepContents {
  /** The next step is a code of the authenticator app, or a recovery code. */
  code: { personId: string; passwordHash: string | null; link?: PendingIdentity };
  /** The request to a provider, the page to open next, and the session to connect. */
  provider: AskedProvider & { to: string; sessionId?: string };
  /**
   * The challenge for a passkey: to be added in the session that requested it, or to log in and connect a pending
   * provider.
   */
  passkey: { challenge: string; sessionId?: string; link?: PendingIdentity };
  /** An identity to be connected once the owner of its address has logged in. */
  link: PendingIdentity;
}
