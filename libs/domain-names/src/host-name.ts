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

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
/**
 * The labels up to the last one with an underscore, which registrable names cannot have: `_dmarc`, `_sip._tcp` (RFC
 * 8552), `key._domainkey` (RFC 6376 §3.6.2.1).
 */
const SERVICE_LABELS = new RegExp(`^(?:_?${LABEL}\\.){0,7}_${LABEL}\\.`, 'i');
const NAME_LENGTH_MAX = 253;
const TOO_LONG = `The host name is longer than ${NAME_LENGTH_MAX} characters.`;

/** Reads a host name as `parseDomainName` does, but keeps all its labels, including service labels. */
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
