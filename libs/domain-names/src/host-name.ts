import { type DomainName, type ParsedDomainName, parseDomainName } from './domain-name.js';
import { withoutSpaces } from './without-spaces.js';

/** A name that may exist in the DNS, and the registrable name above it. */
export interface HostName {
  /** Lower-case A-labels, at most 253 characters. */
  host: string;
  domain: DomainName;
}

export type ParsedHostName =
  { ok: true; hostName: HostName } | Exclude<ParsedDomainName, { ok: true }>;

/** Service labels such as `_dmarc` and `_sip._tcp` (RFC 8552), which registrable names cannot have. */
const SERVICE_LABELS = /^(?:_[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,4}/i;
const NAME_LENGTH_MAX = 253;
const TOO_LONG = `The host name is longer than ${NAME_LENGTH_MAX} characters.`;

/** Reads a host name as `parseDomainName` does, keeping all its labels; the leftmost may be service labels. */
export function parseHostName(input: string): ParsedHostName {
  const text = withoutSpaces(input);
  const service = SERVICE_LABELS.exec(text)?.[0] ?? '';
  const parsed = parseDomainName(text.slice(service.length));
  if (!parsed.ok) return parsed;
  const { domain } = parsed;
  const below = domain.subdomain === '' ? '' : `${domain.subdomain}.`;
  const host = `${service.toLowerCase()}${below}${domain.name}`;
  if (host.length > NAME_LENGTH_MAX) return { ok: false, code: 'too_long', message: TOO_LONG };
  return { ok: true, hostName: { host, domain } };
}
