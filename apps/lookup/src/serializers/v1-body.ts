import type { Lookup } from '#libs/resolvers';
import {
  commonBody,
  contactBody,
  type Json,
  nameServerBody,
  present,
  rawDomainText,
  registrarBody,
  registryBody,
  resellerBody,
  statusBody,
} from './whois-body.js';

/**
 * Returns the frozen first version: exactly the keys that its clients know, including the misspelt
 * `whois_raw_registery`, and without the source of each value.
 */
export function v1Body(lookup: Lookup): Json {
  const { record } = lookup;
  const contacts = record?.contacts ?? {};
  return present({
    ...commonBody(lookup),
    domain_registrar: registrarBody(record?.registrar),
    reseller_contact: resellerBody(contacts.reseller),
    registrant_contact: contactBody(contacts.registrant),
    administrative_contact: contactBody(contacts.administrative),
    technical_contact: contactBody(contacts.technical),
    billing_contact: contactBody(contacts.billing),
    name_servers: nameServerBody(record),
    domain_status: statusBody(record),
    whois_raw_domain: rawDomainText(lookup),
    registry_data: registryBody(lookup, 'whois_raw_registery', true),
  });
}
