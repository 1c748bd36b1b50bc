import { domainToUnicode } from 'node:url';
import type { WhoisSection } from '#libs/contracts';
import type {
  Conflict,
  Contact,
  Lookup,
  Redaction,
  RegistrationRecord,
  SourceAnswer,
} from '#libs/resolvers';
import type { Serving } from './provenance-body.js';
import { provenanceBody } from './provenance-body.js';
import { publicPath } from './public-path.js';
import {
  commonBody,
  contactBody,
  type Json,
  nameServerBody,
  present,
  published,
  rawDomainText,
  registrarBody,
  registryBody,
  resellerBody,
  statusBody,
} from './whois-body.js';

/**
 * Returns the second version: the members of the first one except raw texts, plus exact times, the withheld values with
 * reasons, and the requested sections. The gateway adds `meta`, because only the gateway knows the cost.
 */
export function v2Body(
  lookup: Lookup,
  serving: Serving,
  sections: ReadonlySet<WhoisSection>,
): Json {
  const { record } = lookup;
  const { status, domain_name, ...common } = commonBody(lookup);
  const raw = sections.has('raw');
  return present({
    status,
    domain_name,
    domain_unicode: domainToUnicode(lookup.domain),
    ...common,
    restriction: record?.restriction,
    secure_dns: record?.dnssec?.signed,
    domain_handle: record?.handle,
    dates: record && exactDates(record),
    domain_registrar: record && registrar(record),
    ...(record && contacts(record)),
    privacy_service: record?.privacyService || undefined,
    name_servers: nameServerBody(record),
    domain_status: statusBody(record),
    whois_raw_domain: raw ? rawDomainText(lookup) : undefined,
    registry_data: registryBody(lookup, 'whois_raw_registry', raw),
    redaction: record && redaction(record.redactions),
    rdap: sections.has('rdap') ? rdapObjects(lookup.sources) : undefined,
    provenance: sections.has('provenance') ? provenance(lookup, serving) : undefined,
  });
}

function exactDates({ created, updated, expires }: RegistrationRecord): Json {
  return {
    ...present({
      created: created?.iso,
      created_is_before: created?.isBound,
      updated: updated?.iso,
      expires: expires?.iso,
    }),
    expires_published: expires !== undefined,
  };
}

function registrar(record: RegistrationRecord): Json | undefined {
  return published({
    ...registrarBody(record.registrar),
    rdap_server: record.registrar?.rdapServer,
  });
}

function contacts({ contacts: by }: RegistrationRecord): Json {
  return {
    reseller_contact: withHandle(resellerBody(by.reseller), by.reseller),
    registrant_contact: withHandle(contactBody(by.registrant), by.registrant),
    administrative_contact: withHandle(contactBody(by.administrative), by.administrative),
    technical_contact: withHandle(contactBody(by.technical), by.technical),
    billing_contact: withHandle(contactBody(by.billing), by.billing),
    abuse_contact: withHandle(contactBody(by.abuse), by.abuse),
  };
}

function withHandle(body: Json | undefined, contact: Contact | undefined): Json | undefined {
  return published({ handle: contact?.handle, ...body });
}

function redaction(redactions: Redaction[]): Json[] | undefined {
  if (redactions.length === 0) return undefined;
  return redactions.map(({ path, basis, reason }) => ({
    path: publicPath(path),
    state: 'redacted',
    basis,
    ...(reason !== undefined && { reason }),
  }));
}

/** Returns the JSON of each RDAP answer that is not truncated, by the id of its source; undefined if there is none. */
function rdapObjects(sources: SourceAnswer[]): Json | undefined {
  return published(
    Object.fromEntries(
      sources
        .filter(({ protocol, raw, truncated }) => protocol === 'rdap' && raw && !truncated)
        .map(({ id, raw }) => [id, parsed(raw!)]),
    ),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function provenance(lookup: Lookup, serving: Serving): Json {
  return {
    ...provenanceBody(lookup, serving),
    fields: sourcesOf(lookup.fields),
    conflicts: [...denials(lookup), ...lookup.conflicts.map(conflict)],
  };
}

/** Returns the source of each public value. Of two values under one path, the first is the one that is shown. */
function sourcesOf(fields: Lookup['fields']): Json {
  const shown: Json = {};
  for (const [path, id] of Object.entries(fields)) shown[publicPath(path)] ??= id;
  return shown;
}

function conflict({ path, ...rest }: Conflict): Conflict {
  return { path: publicPath(path), ...rest };
}

/** Returns a conflict if some sources call a name unregistered although another publishes a registration. */
function denials({ sources }: Lookup): Conflict[] {
  const holder = sources.find(({ record }) => record !== undefined);
  const deniers = sources.filter(({ outcome }) => outcome === 'not_registered');
  if (holder === undefined || deniers.length === 0) return [];
  const denied = Object.fromEntries(deniers.map(({ id }) => [id, 'no']));
  return [
    { path: 'domain_registered', chosen: holder.id, values: { [holder.id]: 'yes', ...denied } },
  ];
}
