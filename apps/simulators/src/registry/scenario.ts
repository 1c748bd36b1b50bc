import type { Exchange, Misbehaviour } from './misbehaviour.js';
import type { Registration } from '../registrations/registration.js';

/** Hosts that the upstream exceptions map to a port on which nothing listens. */
export const CLOSED_HOSTS = { whois: 'whois.closed.example', rdap: 'rdap.closed.example' };

/** The answer of some operators' proxies to any request. */
export const HTML_PAGE =
  '<!DOCTYPE html><html><head><title>Service</title></head><body><h1>It works!</h1></body></html>\n';

/**
 * Returns the registration as a server reports it: unchanged, unless a `misbehaviour` affects it. `hop` counts the
 * exchanges of this kind about this name, and determines the next host in an endless chain of referrals.
 */
export function asMisreported(
  registration: Registration,
  misbehaviour: Misbehaviour | undefined,
  role: Exchange['role'],
  hop: number,
): Registration {
  const { domain, tld, registrar, expires } = registration;
  if (misbehaviour === 'disagreeing-registrar' && role === 'registrar') {
    return { ...registration, expires: dayAfter(expires) };
  }
  const next = role === 'registry' ? 1 : hop + 1;
  /** The hosts to which a client is referred: on port 43, and over RDAP. */
  const referrals: Partial<Record<Misbehaviour, [whois: string, rdap: string]>> = {
    'refers-to-itself': [`whois.nic.${tld}`, `rdap.nic.${tld}`],
    'refers-to-loopback': ['127.0.0.1', '127.0.0.1'],
    'refers-to-private': ['10.0.0.1', '10.0.0.1'],
    'refers-to-port': [`whois.${registrar.domain}:6379`, `rdap.${registrar.domain}:6379`],
    'refers-to-closed-port': [CLOSED_HOSTS.whois, CLOSED_HOSTS.rdap],
    'refers-endlessly': [`whois.hop-${next}.example`, `rdap.hop-${next}.example`],
    // Hosts whose certificates no client should accept.
    'refers-to-expired-certificate': [CLOSED_HOSTS.whois, `expired.${registrar.domain}`],
    'refers-to-untrusted-certificate': [CLOSED_HOSTS.whois, `untrusted.${registrar.domain}`],
  };
  const referral = misbehaviour && referrals[misbehaviour];
  if (!referral) return registration;
  const [registrarWhoisServer, host] = referral;
  return {
    ...registration,
    registrarWhoisServer,
    registrarRdapUrl: `https://${host}/domain/${domain}`,
  };
}

function dayAfter(date: Date): Date {
  const next = new Date(date);
  next.setUTCDate(next.getUTCDate() + 1);
  return next;
}
