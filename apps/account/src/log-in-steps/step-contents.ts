import type { Provider } from '#libs/contracts';

/** What has to come back unchanged from a provider with the visitor. */
export interface AskedProvider {
  provider: Provider;
  state: string;
  /** Empty for OAuth, which has no ID token to repeat it. */
  nonce: string;
  verifier: string;
}

/** What becomes an identity once the account's owner has proven to be there too. */
export interface PendingIdentity {
  provider: Provider;
  /** The provider's own id of the person, which outlives a change of address. */
  subject: string;
  /** Undefined unless the provider has verified it. */
  address?: string;
}

/** What the next step has to know, by its kind. */
export interface StepContents {
  /** A code of the authenticator app, or a recovery code. */
  code: { personId: string; passwordHash: string | null; link?: PendingIdentity };
  /** What a provider was asked, the page to go on to, and the session that wants to be connected. */
  provider: AskedProvider & { to: string; sessionId?: string };
  /** What a passkey has to sign: to be added in the session that asked, or to log in and connect what waits for that. */
  passkey: { challenge: string; sessionId?: string; link?: PendingIdentity };
  /** What is connected once the owner of its address has logged in. */
  link: PendingIdentity;
}
