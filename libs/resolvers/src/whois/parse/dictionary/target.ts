import type { ContactRole } from '../../../record.js';
import type { ContactField } from '../fields/contact-field.js';

export type DomainField =
  | 'domain'
  | 'roid'
  | 'created'
  | 'updated'
  | 'expires'
  | 'nameServer'
  | 'status'
  | 'dnssec'
  | 'ds'
  | 'whoisServer'
  | 'referral';

export type RegistrarField =
  'ianaId' | 'name' | 'organization' | 'url' | 'email' | 'phone' | 'rdapServer';

export type SectionName =
  | ContactRole
  | 'domain'
  | 'registrar'
  | 'nameServers'
  | 'status'
  | 'dates'
  | 'dnssec'
  | 'host'
  | 'other';

/**
 * The meaning of a key. `loose` keys (`created`, `status`) belong to their section. A `header` opens a section; a value
 * on the same line is the name of the party.
 */
export type Target =
  | { kind: 'domain'; field: DomainField; loose: boolean }
  | { kind: 'registrar'; field: RegistrarField }
  | { kind: 'contact'; role?: ContactRole; field: ContactField }
  | { kind: 'header'; section: SectionName }
  | { kind: 'reference'; role: ContactRole }
  | { kind: 'object' }
  | { kind: 'ignored' };

const ROLE_NAMES: Readonly<Record<string, ContactRole>> = {
  registrant: 'registrant',
  admin: 'administrative',
  tech: 'technical',
  billing: 'billing',
  abuse: 'abuse',
  reseller: 'reseller',
};

/**
 * Parses the notation of the tables: `created` (of the domain), `~created` (of its section), `.name` (of the section's
 * party), `registrar.url`, `admin.email`, `@tech` (opens a section), `>admin` (a handle), `#` (opens a contact object),
 * `-` (nothing).
 */
export function readTarget(notation: string): Target {
  if (notation === '-') return { kind: 'ignored' };
  if (notation === '#') return { kind: 'object' };
  const rest = notation.slice(1);
  if (notation[0] === '@') return { kind: 'header', section: sectionNamed(rest) };
  if (notation[0] === '>') return { kind: 'reference', role: ROLE_NAMES[rest] };
  if (notation[0] === '.') return { kind: 'contact', field: rest as ContactField };
  if (notation[0] === '~') return { kind: 'domain', field: rest as DomainField, loose: true };
  const dot = notation.indexOf('.');
  if (dot < 0) return { kind: 'domain', field: notation as DomainField, loose: false };
  const [owner, field] = [notation.slice(0, dot), notation.slice(dot + 1)];
  if (owner === 'registrar') return { kind: 'registrar', field: field as RegistrarField };
  return { kind: 'contact', role: ROLE_NAMES[owner], field: field as ContactField };
}

function sectionNamed(name: string): SectionName {
  return Object.hasOwn(ROLE_NAMES, name) ? ROLE_NAMES[name] : (name as SectionName);
}
