import {
  type DomainName,
  type ParsedDomainName,
  parseDomainName,
  parseName,
} from './domain-name.js';
import { withoutSpaces } from './without-spaces.js';

/** A name that may exist in the DNS, and the registrable name above it. */
export interface HostName {
  /** Lower-case A-labels, at most 253 characters. */
  host: string;
  domain: DomainName;
}

type RefusedName = Exclude<ParsedDomainName, { ok: true }>;

export type ParsedHostName = { ok: true; hostName: HostName } | RefusedName;

/** A name whose DNS records can be queried. `host` is as in `HostName`. */
export type ParsedDnsName = { ok: true; host: string; tld: string } | RefusedName;

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
/** The underscore counts as one of the 63 characters of a label. */
const SERVICE_LABEL = '_[a-z0-9](?:[a-z0-9-]{0,60}[a-z0-9])?';
/**
 * The labels up to the last one with an underscore, which registrable names cannot have: `_dmarc`, `_sip._tcp` (RFC
 * 8552), `key._domainkey` (RFC 6376 §3.6.2.1).
 */
const SERVICE_LABELS = new RegExp(
  `^(?:(?:${LABEL}|${SERVICE_LABEL})\\.){0,7}${SERVICE_LABEL}\\.`,
  'i',
);
const NAME_LENGTH_MAX = 253;
const TOO_LONG: RefusedName = {
  ok: false,
  code: 'too_long',
  message: `The host name is longer than ${NAME_LENGTH_MAX} characters.`,
};

/** Reads a host name as `parseDomainName` does, but keeps all its labels, including service labels. */
export function parseHostName(input: string): ParsedHostName {
  const [service, rest] = withServiceApart(input);
  const parsed = parseDomainName(rest);
  if (!parsed.ok) return parsed;
  const { domain } = parsed;
  const below = domain.subdomain === '' ? '' : `${domain.subdomain}.`;
  const host = `${service}${below}${domain.name}`;
  return host.length > NAME_LENGTH_MAX ? TOO_LONG : { ok: true, hostName: { host, domain } };
}

/** Reads a host name as `parseHostName` does, or a public suffix such as `gov.uk`, which also has DNS records. */
export function parseDnsName(input: string): ParsedDnsName {
  const parsed = parseHostName(input);
  if (parsed.ok) {
    const { host, domain } = parsed.hostName;
    return { ok: true, host, tld: domain.tld };
  }
  const [service, rest] = withServiceApart(input);
  const suffix = parsed.code === 'public_suffix' ? parseName(rest) : parsed;
  if (!suffix.ok || suffix.labels.length < 2) return parsed;
  const host = `${service}${suffix.ascii}`;
  return host.length > NAME_LENGTH_MAX ? TOO_LONG : { ok: true, host, tld: suffix.labels.at(-1)! };
}

/** Returns the service labels in lower case, with the final dot, and the rest of the name. */
function withServiceApart(input: string): [service: string, rest: string] {
  const text = withoutSpaces(input);
  const service = SERVICE_LABELS.exec(text)?.[0] ?? '';
  return [service.toLowerCase(), text.slice(service.length)];
}
