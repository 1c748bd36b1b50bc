import { isIP } from 'node:net';
import { domainToUnicode } from 'node:url';
import { getPublicSuffix } from 'tldts';
import { NAME_LENGTH_MAX, isTooLongForName, toALabels } from './a-labels.js';
import { checkLabels } from './labels.js';
import { refuse, type Refusal } from './refusal.js';
import { SECOND_LEVEL_REGISTRIES } from './second-level-registries.js';
import { withoutSpaces } from './without-spaces.js';

/** A registrable name and the other parts of the input. All members but `unicode` are lower-case A-labels. */
export interface DomainName {
  /** The registrable name: one label plus its public suffix. */
  name: string;
  unicode: string;
  /** The suffix under which the name is sold: `com`, `co.uk`, `uk.com`. */
  publicSuffix: string;
  tld: string;
  /** The label of `name` below the public suffix. */
  label: string;
  /** The labels before `name` in the input, joined by dots; empty if there are none. */
  subdomain: string;
}

export type DomainNameRefusalCode = keyof typeof MESSAGES;

export type ParsedDomainName = { ok: true; domain: DomainName } | Refusal<DomainNameRefusalCode>;

/** Any name, whether or not it is below a public suffix, in lower-case A-labels. */
export type ParsedName =
  { ok: true; ascii: string; labels: string[] } | Refusal<DomainNameRefusalCode>;

const INPUT_LENGTH_MAX = 2048;

const MESSAGES = {
  empty: 'A domain name is required.',
  control_character: 'The domain name contains control or invisible characters.',
  email_address: 'This is an e-mail address; a domain name is required.',
  ip_address: 'This is an IP address; a domain name is required.',
  too_long: 'The domain name is longer than 253 characters.',
  empty_label: 'The domain name has an empty label.',
  label_too_long: 'A label of the domain name is longer than 63 characters.',
  bad_character: 'The domain name contains a character that domain names cannot have.',
  bad_hyphen: 'A label of the domain name has a misplaced hyphen.',
  bad_idn: 'A label of the domain name is not a valid internationalised label.',
  numeric_tld: 'The last label of a domain name cannot be a number.',
  public_suffix:
    'This is a single label or a public suffix, such as com; a name below one is required, such as example.com.',
} as const;

/**
 * Reads the registrable domain name from pasted text: a name, a URL, an internationalised name, upper case, a trailing
 * dot. The result is safe to send to a registry unchanged: it matches `[a-z0-9.-]{1,253}`. An unknown top-level domain
 * is accepted; the registry tables decide whether a server answers for it.
 *
 * Sources: RFC 1123 §2.1 (letters, digits, hyphen), RFC 5890 §2.3 (A-labels), RFC 3696 §2 (the last label is not all
 * numeric), UTS #46 for the mapping, the public suffix list.
 */
export function parseDomainName(input: string): ParsedDomainName {
  const parsed = parseName(input);
  return parsed.ok ? registrable(parsed.ascii, parsed.labels) : parsed;
}

/** Reads a name as `parseDomainName` does, but also a single label and a public suffix, such as `gov.uk`. */
export function parseName(input: string): ParsedName {
  const host = input.length > INPUT_LENGTH_MAX ? undefined : withoutSpaces(input);
  if (host === undefined) return refuse('too_long', MESSAGES);
  // This check runs first, because `domainToASCII` silently drops CR, LF, TAB and invisible characters, so the checked
  // text would otherwise differ from the text in use.
  if (UNSEEN_CHARACTER.test(host)) return refuse('control_character', MESSAGES);
  if (isIP(host) !== 0) return refuse('ip_address', MESSAGES);
  const named = hostOf(host);
  if (named === '') return refuse('empty', MESSAGES);
  if (named.includes('@')) return refuse('email_address', MESSAGES);
  if (named.startsWith('[') || isIP(named) !== 0) return refuse('ip_address', MESSAGES);
  // `domainToASCII` would also decode percent-encoded characters and read a number in any base as an address.
  if (NEVER_IN_NAMES.test(named)) return refuse('bad_character', MESSAGES);
  return fromHost(named);
}

// Cc, line and paragraph separators, and all format characters except the two joiners, which some scripts need and UTS
// #46 checks in context.
const UNSEEN_CHARACTER = /[\p{Cc}\u2028\u2029]|(?![\u200c\u200d])\p{Cf}/u;
const NEVER_IN_NAMES = /[%_\\/?#:,;<>"'`|^{}()[\]!$&*+=~\s]/;

/** Returns the host of a URL, of `host/path` or of `host:port`; any other input unchanged. */
function hostOf(input: string): string {
  const scheme = /^(?:[a-z][a-z0-9+.-]{0,30}:)?\/\//i.exec(input);
  const rest = scheme === null ? input : input.slice(scheme[0].length);
  const end = rest.search(scheme === null ? /[/?#]/ : /[/\\?#]/);
  const authority = end < 0 ? rest : rest.slice(0, end);
  const host = scheme === null ? authority : authority.slice(authority.lastIndexOf('@') + 1);
  return host.replace(/:\d{0,5}$/, '');
}

function fromHost(host: string): ParsedName {
  if (isTooLongForName(host)) return refuse('too_long', MESSAGES);
  const ascii = toAscii(host).replace(/\.$/, '');
  if (isIP(ascii) !== 0) return refuse('ip_address', MESSAGES);
  if (ascii === '') return refuse(whyUnmapped(host), MESSAGES);
  if (ascii.length > NAME_LENGTH_MAX) return refuse('too_long', MESSAGES);
  const labels = ascii.split('.');
  const fault = checkLabels(labels);
  if (fault !== undefined) return refuse(fault, MESSAGES);
  return { ok: true, ascii, labels };
}

function whyUnmapped(host: string): DomainNameRefusalCode {
  if (/^\.*$/.test(host)) return 'empty';
  // The URL standard's parser mistakes a number in the last label for an address, and fails.
  return /(^|\.)(\d+|0x[0-9a-f]*)\.?$/i.test(host.normalize('NFKC')) ? 'numeric_tld' : 'bad_idn';
}

/**
 * Returns the same as `toALabels`, but faster for a name that only needs lower case: one without A-labels, whose last
 * label no parser could read as part of an address.
 */
function toAscii(host: string): string {
  const isPlain = /^[a-z0-9.-]*\.[a-z][a-z0-9-]*\.?$/i.test(host) && !/xn--/i.test(host);
  return isPlain ? host.toLowerCase() : toALabels(host);
}

function registrable(ascii: string, labels: string[]): ParsedDomainName {
  const seller = labels.slice(-2).join('.');
  // `uk.com` itself is a registration in `com`, although names are sold below it.
  const isSold = labels.length > 2 && SECOND_LEVEL_REGISTRIES.has(seller);
  const publicSuffix = isSold ? seller : getPublicSuffix(ascii, SUFFIX_OPTIONS);
  if (publicSuffix === null || publicSuffix === ascii) return refuse('public_suffix', MESSAGES);
  const depth = labels.length - publicSuffix.split('.').length - 1;
  const label = labels[depth] ?? '';
  // Registries reserve such labels for encodings (RFC 5891 §4.2.3.1), but hosts may have them: `r1---a.example.com`.
  if (/^(?!xn)..--/.test(label)) return refuse('bad_hyphen', MESSAGES);
  const name = `${label}.${publicSuffix}`;
  const domain: DomainName = {
    name,
    unicode: name.includes('xn--') ? domainToUnicode(name) : name,
    publicSuffix,
    tld: labels.at(-1) ?? '',
    label,
    subdomain: labels.slice(0, depth).join('.'),
  };
  return { ok: true, domain };
}

const SUFFIX_OPTIONS = {
  allowPrivateDomains: false,
  detectIp: false,
  extractHostname: false,
  validateHostname: false,
};
