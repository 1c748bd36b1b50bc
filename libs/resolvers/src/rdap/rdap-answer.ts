import type { ParseResult } from '../whois/parse/parse-whois.js';
import { objectIn } from './json-reading.js';
import { readRdapDomain } from './rdap-record.js';
import { readRestrictedAbsence } from './restriction.js';

/** Whom was asked for what by RDAP. */
export interface RdapContext {
  /** The name asked for, A-label. */
  domain: string;
  role: 'registry' | 'registrar';
  /** The service said "not found": the text is the body of a 404. */
  isAbsent: boolean;
}

/**
 * Reads an RDAP answer about a domain. Pure, never throws: what cannot be read is `parse_failed`.
 * `delivered`, `not_registered`, `restricted` or `parse_failed`.
 */
export function readRdapAnswer(text: string, context: RdapContext): ParseResult {
  try {
    return context.isAbsent ? readAbsence(text, context) : readObject(text, context);
  } catch {
    return { outcome: 'parse_failed' };
  }
}

/** What a registrar keeps back is its own offer: only the registry can say so of the name. */
function readAbsence(text: string, { role }: RdapContext): ParseResult {
  const record = role === 'registry' ? readRestrictedAbsence(text) : undefined;
  return record === undefined ? { outcome: 'not_registered' } : { outcome: 'restricted', record };
}

function readObject(text: string, { domain, role }: RdapContext): ParseResult {
  const record = readRdapDomain(objectIn(JSON.parse(text)), domain);
  if (record === undefined) return { outcome: 'parse_failed' };
  const { restriction, ...rest } = record;
  if (role === 'registrar' || restriction === undefined) {
    return { outcome: 'delivered', record: rest };
  }
  return { outcome: 'restricted', record };
}
