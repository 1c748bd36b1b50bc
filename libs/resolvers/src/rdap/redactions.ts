import type { Redaction } from '../record.js';
import { type JsonObject, objectIn, objectsIn, textIn } from './json-reading.js';

/**
 * Record paths by the redacted names that are registered with IANA (RFC 9537 §6.2), in lower case. The name identifies
 * the field. The JSONPath expressions of a redaction are not evaluated, because they are not interoperable.
 */
const PATHS_BY_NAME: ReadonlyMap<string, string> = new Map([
  ['registry domain id', 'handle'],
  ['registry registrant id', 'contacts.registrant.handle'],
  ['registrant name', 'contacts.registrant.name'],
  ['registrant organization', 'contacts.registrant.organization'],
  ['registrant street', 'contacts.registrant.street'],
  ['registrant city', 'contacts.registrant.city'],
  ['registrant postal code', 'contacts.registrant.postalCode'],
  ['registrant phone', 'contacts.registrant.phone'],
  ['registrant phone ext', 'contacts.registrant.phone'],
  ['registrant fax', 'contacts.registrant.fax'],
  ['registrant fax ext', 'contacts.registrant.fax'],
  ['registrant email', 'contacts.registrant.email'],
  ['registry tech id', 'contacts.technical.handle'],
  ['tech name', 'contacts.technical.name'],
  ['tech phone', 'contacts.technical.phone'],
  ['tech phone ext', 'contacts.technical.phone'],
  ['tech email', 'contacts.technical.email'],
]);

/** Returns the known fields that the `redacted` member of an answer names as withheld (RFC 9537 §4.2). */
export function readRedactions(json: JsonObject): Redaction[] {
  return objectsIn(json['redacted']).flatMap((entry) => {
    const name = objectIn(entry['name']);
    const words = textIn(name['type']) ?? textIn(name['description']) ?? '';
    const path = PATHS_BY_NAME.get(words.toLowerCase());
    if (path === undefined) return [];
    const reason = objectIn(entry['reason']);
    const said = textIn(reason['description']) ?? textIn(reason['type']);
    return [{ path, basis: 'rfc9537', ...(said === undefined ? {} : { reason: said }) }];
  });
}
