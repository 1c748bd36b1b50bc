import type { Exchange, Misbehaviour } from './misbehaviour.js';
import type { Registration } from '../registrations/registration.js';

/** Hosts that the upstream exceptions map to a port on which nothing listens. */
export const CLOSED_HOSTS = { whois: 'whois.closed.example', rdap: 'rdap.closed.example' };

/** The answer of some operators' proxies to any request. */
export const HTML_PAGE =
  '<!DOCTYPE html><html><head><title>Service</title></head><body><h1>It works!</h1></body></html>\n';

function hopHost(protocol: 'whois' | 'rdap', hop: number): string {
  return `${protocol}.hop-${hop}.example`;
}

/**
 * Returns the registration as a misbehaving server reports it. `hop` counts the exchanges of this kind about this name;
 * it is the number of the next host in an endless chain of referrals.
 */
export function asMisreported(
  registration: Registration,
  misbehaviour: Misbehaviour | undefined,
  role: Exchange['role'],
  hop: number,
): Registration {
  switch (misbehaviour) {
    case 'disagreeing-registrar':
      return role === 'registrar'
        ? { ...registration, expires: dayAfter(registration.expires) }
        : registration;
    case 'refers-to-itself':
      return referring(
        registration,
        `whois.nic.${registration.tld}`,
        `https://rdap.nic.${registration.tld}/domain/${registration.domain}`,
      );
    case 'refers-to-loopback':
      return referring(
        registration,
        '127.0.0.1',
        `https://127.0.0.1/domain/${registration.domain}`,
      );
    case 'refers-to-private':
      return referring(registration, '10.0.0.1', `https://10.0.0.1/domain/${registration.domain}`);
    case 'refers-to-port':
      return referring(
        registration,
        `whois.${registration.registrar.domain}:6379`,
        `https://rdap.${registration.registrar.domain}:6379/domain/${registration.domain}`,
      );
    case 'refers-to-closed-port':
      return referring(
        registration,
        CLOSED_HOSTS.whois,
        `https://${CLOSED_HOSTS.rdap}/domain/${registration.domain}`,
      );
    case 'refers-endlessly': {
      const next = role === 'registry' ? 1 : hop + 1;
      return referring(
        registration,
        hopHost('whois', next),
        `https://${hopHost('rdap', next)}/domain/${registration.domain}`,
      );
    }
    case 'refers-to-expired-certificate':
      return referring(registration, CLOSED_HOSTS.whois, registrarAt('expired', registration));
    case 'refers-to-untrusted-certificate':
      return referring(registration, CLOSED_HOSTS.whois, registrarAt('untrusted', registration));
    default:
      return registration;
  }
}

/** Returns the registrar's RDAP address under a host whose certificate no client should accept. */
function registrarAt(label: string, { registrar, domain }: Registration): string {
  return `https://${label}.${registrar.domain}/domain/${domain}`;
}

function referring(
  registration: Registration,
  registrarWhoisServer: string,
  registrarRdapUrl: string,
) {
  return { ...registration, registrarWhoisServer, registrarRdapUrl };
}

function dayAfter(date: Date): Date {
  const next = new Date(date);
  next.setUTCDate(next.getUTCDate() + 1);
  return next;
}
