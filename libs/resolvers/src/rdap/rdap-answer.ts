import type { ParseResult } from '../whois/parse/parse-whois.js';
import { WorkMeter } from '../whois/parse/reading/work-meter.js';
import { readMetered } from './json-reading.js';
import { readRdapDomain } from './rdap-record.js';
import { readRestrictedAbsence } from './restriction.js';

export interface RdapContext {
  /** The requested name, in A-labels. */
  domain: string;
  role: 'registry' | 'registrar';
  /** Whether the service answered "not found"; the text is then the body of a 404. */
  isAbsent: boolean;
}

/**
 * Parses an RDAP answer about a domain. The function is pure and never throws. Its work is linear in the length of the
 * text, and `meter` counts it. The outcome is `delivered`, `not_registered`, `restricted`, or `parse_failed` for an
 * answer that is unreadable or does not describe the name.
 */
export function readRdapAnswer(
  text: string,
  context: RdapContext,
  meter = new WorkMeter(),
): ParseResult {
  try {
    return context.isAbsent ? readAbsence(text, context, meter) : readObject(text, context, meter);
  } catch {
    return { outcome: 'parse_failed' };
  }
}

/**
 * Reads the body of a "not found". Only the registry can reserve a name; a registrar that withholds a name decides only
 * about its own offer.
 */
function readAbsence(text: string, { role, domain }: RdapContext, meter: WorkMeter): ParseResult {
  const isSaid = role === 'registry' && text.trim() !== '';
  const record = isSaid
    ? readMetered(text, meter, (json) => readRestrictedAbsence(json, domain))
    : undefined;
  return record === undefined ? { outcome: 'not_registered' } : { outcome: 'restricted', record };
}

function readObject(text: string, { domain, role }: RdapContext, meter: WorkMeter): ParseResult {
  const record = readMetered(text, meter, (json) => readRdapDomain(json, domain));
  if (record === undefined) return { outcome: 'parse_failed' };
  const { restriction, ...rest } = record;
  if (role === 'registrar' || restriction === undefined) {
    return { outcome: 'delivered', record: rest };
  }
  return { outcome: 'restricted', record };
}
