import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import { PasskeyRefused } from './passkeys.errors.js';

/** The algorithms EdDSA, ES256 and RS256 (IANA, COSE Algorithms). */
const ALGORITHMS = [-8, -7, -257];
const TIMEOUT_MS = 300_000;
const NAME = 'Domain Data Service';

// The library is loaded when a passkey is first used, because loading takes a fifth of a second.
const library = () => import('@simplewebauthn/server');

/** The relying party for which passkeys are created and used: the dashboard, by its host name and its origin. */
export interface RelyingParty {
  id: string;
  origin: string;
}

export const relyingPartyOf = (dashboardUrl: string): RelyingParty => {
  const { hostname: id, origin } = new URL(dashboardUrl);
  return { id, origin };
};

/** Returns the options for creating a passkey that works without a user name and verifies its owner each time. */
export async function creationOptions(
  { id }: RelyingParty,
  person: { id: string; address: string; firstName: string },
  known: readonly Buffer[],
) {
  const { generateRegistrationOptions } = await library();
  return generateRegistrationOptions({
    rpName: NAME,
    rpID: id,
    userID: handleOf(person.id),
    userName: person.address,
    userDisplayName: person.firstName,
    timeout: TIMEOUT_MS,
    attestationType: 'none',
    excludeCredentials: known.map((credentialId) => ({ id: credentialId.toString('base64url') })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  });
}

/** Returns the options that a browser needs to request any passkey of this dashboard. */
export async function requestOptions({ id }: RelyingParty) {
  const { generateAuthenticationOptions } = await library();
  return generateAuthenticationOptions({
    rpID: id,
    timeout: TIMEOUT_MS,
    userVerification: 'required',
  });
}

export interface NewCredential {
  credentialId: Buffer;
  publicKey: Buffer;
  counter: number;
}

/**
 * Verifies a passkey created for this challenge (WebAuthn Level 3, 7.1). The manufacturer of the authenticator is not
 * checked, because anyone could issue a certificate in its name. @throws PasskeyRefused.
 */
export async function verifyNew(
  { id, origin }: RelyingParty,
  challenge: string,
  text: string,
): Promise<NewCredential> {
  return refusing(async () => {
    const response = JSON.parse(text) as RegistrationResponseJSON;
    await checkUncertified(response);
    const { verifyRegistrationResponse } = await library();
    const { registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!registrationInfo) throw new Error('its own signature is wrong');
    const { id: credentialId, publicKey, counter } = registrationInfo.credential;
    return {
      credentialId: Buffer.from(credentialId, 'base64url'),
      publicKey: Buffer.from(publicKey),
      counter,
    };
  });
}

/** Returns the authenticator's id for the passkey. @throws PasskeyRefused. */
export async function credentialIdOf(text: string): Promise<Buffer> {
  return refusing(async () => {
    const { id } = JSON.parse(text) as { id: unknown };
    if (typeof id !== 'string' || !/^[\w-]{1,1364}$/.test(id)) throw new Error('it has no id');
    return Buffer.from(id, 'base64url');
  });
}

/**
 * Checks that a passkey verified its owner and signed this challenge (WebAuthn Level 3, 7.2). The caller compares the
 * counter. @returns the counter. @throws PasskeyRefused.
 */
export async function verifyUse(
  { id, origin }: RelyingParty,
  challenge: string,
  text: string,
  passkey: { personId: string; publicKey: Buffer },
): Promise<number> {
  return refusing(async () => {
    const response = JSON.parse(text);
    const handle = Buffer.from(passkey.personId.replaceAll('-', ''), 'hex').toString('base64url');
    if (response.response.userHandle !== handle) throw new Error('it names someone else');
    const { verifyAuthenticationResponse } = await library();
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      // The library gets a counter lower than any real one, because with the real one it would not distinguish a copied
      // passkey from a wrong signature.
      credential: { id: response.id, publicKey: new Uint8Array(passkey.publicKey), counter: -1 },
    });
    if (!verified) throw new Error('its signature is wrong');
    return authenticationInfo.newCounter;
  });
}

/** Whether a counter shows a copied passkey; authenticators without a counter send 0 (7.2, step 22). */
export const isCountOfCopy = (before: number, now: number) =>
  (before > 0 || now > 0) && now <= before;

/** Returns the WebAuthn user handle of a person, which reveals nothing about the person. */
const handleOf = (personId: string) =>
  new Uint8Array(Buffer.from(personId.replaceAll('-', ''), 'hex'));

/**
 * Rejects a passkey with a certificate, because its revocation list would be fetched from an address that the
 * certificate names.
 * @throws unless the authenticator sends no attestation, or signs it only with the new key.
 */
async function checkUncertified(response: RegistrationResponseJSON): Promise<void> {
  const { decodeAttestationObject, isoBase64URL } = await import('@simplewebauthn/server/helpers');
  const bytes = isoBase64URL.toBuffer(response.response.attestationObject);
  const attestation = decodeAttestationObject(bytes);
  const format = attestation.get('fmt');
  const isSelf = format === 'packed' && attestation.get('attStmt').get('x5c') === undefined;
  if (format !== 'none' && !isSelf) throw new Error('it comes with a certificate');
}

async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new PasskeyRefused(error);
  }
}
