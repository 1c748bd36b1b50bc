import { Resolver } from 'node:dns/promises';

const TIMEOUT_MS = 1_500;
/** A host name that always has an address. */
const ASKED_NAME = 'whois.iana.org';

/** Checks whether this machine can resolve internet names. Takes at most 1.5 s. */
export async function hasInternet(): Promise<boolean> {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 1 });
  const deadline = setTimeout(() => resolver.cancel(), TIMEOUT_MS);
  try {
    return (await resolver.resolve4(ASKED_NAME)).length > 0;
  } catch {
    return false;
  } finally {
    clearTimeout(deadline);
  }
}
