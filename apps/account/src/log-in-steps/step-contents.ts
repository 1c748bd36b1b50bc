import type { Provider } from '#libs/contracts';

/** The values that bind the provider's answer to this log-in. The provider must return `state` unchanged. */
export interface AskedProvider {
  provider: Provider;
  state: string;
  /** The nonce that the ID token repeats; empty for plain OAuth, which has no ID token. */
  nonce: string;
  verifier: string;
}

/** An identity to be connected once the account's owner has logged in. */
export interface PendingIdentity {
  provider: Provider;
  /** The provider's id for the person, which stays the same when the address changes. */
  subject: string;
  /** The address; undefined unless the provider has verified it. */
  address?: string;
}

export interface StepContents {
  /** The next step is a code from the authenticator app, or a recovery code. */
  code: { personId: string; passwordHash: string | null; link?: PendingIdentity };
  /**
   * The request to a provider, the page to open afterwards, and the session whose account is to be connected to the
   * provider.
   */
  provider: AskedProvider & { to: string; sessionId?: string };
  /**
   * The challenge for a passkey, used either to add a passkey in the session that requested the challenge, or to log in
   * and connect a pending provider.
   */
  passkey: { challenge: string; sessionId?: string; link?: PendingIdentity };
  /** An identity to be connected once the owner of its address has logged in. */
  link: PendingIdentity;
}
