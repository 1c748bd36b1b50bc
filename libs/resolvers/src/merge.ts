import {
  CONTACT_ROLES,
  type Conflict,
  type Contact,
  type ContactRole,
  type Registrar,
  type RegistrationRecord,
  type SourceAnswer,
} from './record.js';

export interface Merged {
  record: RegistrationRecord;
  /** The id of the source of each value, by record path. */
  fields: Record<string, string>;
  conflicts: Conflict[];
}

type Source = SourceAnswer & { record: RegistrationRecord };

/** Data that the registry maintains; a registrar's copy may be outdated. Lists are taken as a whole. */
const REGISTRY_MEMBERS = [
  'domain',
  'handle',
  'created',
  'updated',
  'expires',
  'nameServers',
  'statuses',
  'dnssec',
  'restriction',
] as const;

/** Data that the registrar maintains, about its customer and itself. */
const CONTACT_MEMBERS: readonly (keyof Contact)[] = [
  'handle',
  'name',
  'organization',
  'street',
  'city',
  'state',
  'postalCode',
  'countryCode',
  'countryName',
  'email',
  'phone',
  'fax',
];
const REGISTRAR_MEMBERS: readonly (keyof Registrar)[] = [
  'ianaId',
  'name',
  'organization',
  'url',
  'email',
  'phone',
  'whoisServer',
  'rdapServer',
];

/**
 * Merges the data published by registry and registrar. The registry's dates, statuses, name servers and DNSSEC take
 * precedence, and so do the name and the IANA id that it publishes for the registrar. The registrar's other data about
 * itself takes precedence, and so do its contacts unless it withholds their identity. A contact is taken from one
 * source as a whole, because a mixture of two addresses would be wrong. `updated` and handles always differ, so they
 * do not count as conflicts.
 * @returns undefined if no answer has a record.
 */
export function mergeSources(answers: readonly SourceAnswer[]): Merged | undefined {
  const sources = answers.filter((answer): answer is Source => answer.record !== undefined);
  const registryFirst = inOrder(sources, 'registry');
  const [first] = registryFirst;
  if (first === undefined) return undefined;
  const merge = new Merge();
  for (const member of REGISTRY_MEMBERS) {
    // If the registry says "inactive", the name has no name servers (RFC 5731 §2.3), whatever others still list.
    const isDecided = member === 'nameServers' && isInactive(first);
    merge.member(member, isDecided ? [first] : registryFirst);
  }
  merge.registrar(registryFirst);
  for (const role of CONTACT_ROLES) merge.contact(role, inOrder(sources, 'registrar'));
  merge.rest(inOrder(sources, 'registrar'));
  return { record: merge.record, fields: merge.fields, conflicts: merge.conflicts };
}

function inOrder(sources: readonly Source[], role: SourceAnswer['role']): Source[] {
  return [...sources].sort((a, b) => Number(b.role === role) - Number(a.role === role));
}

function isInactive({ role, record }: Source): boolean {
  return role === 'registry' && record.statuses.some((one) => one.toLowerCase() === 'inactive');
}

class Merge {
  readonly record: RegistrationRecord = {
    nameServers: [],
    statuses: [],
    contacts: {},
    redactions: [],
    privacyService: false,
  };
  readonly fields: Record<string, string> = {};
  readonly conflicts: Conflict[] = [];

  member(member: (typeof REGISTRY_MEMBERS)[number], sources: readonly Source[]): void {
    const giving = sources.filter(({ record }) => isPublished(record[member]));
    const [chosen] = giving;
    if (chosen === undefined) return;
    Object.assign(this.record, { [member]: chosen.record[member] });
    this.fields[member] = chosen.id;
    if (member === 'updated' || member === 'handle') return;
    // A source that publishes only that the delegation is signed does not contradict the DS records of another.
    const hasDs = giving.every(({ record }) => record.dnssec?.ds.length !== 0);
    this.compare(
      member,
      giving.map(({ id, record }) => [id, comparable(record[member], hasDs)]),
    );
  }

  registrar(registryFirst: readonly Source[]): void {
    const registrar: Registrar = {};
    const own = inOrder(registryFirst, 'registrar');
    for (const member of REGISTRAR_MEMBERS) {
      const isIdentity = member === 'ianaId' || member === 'name';
      const giving = (isIdentity ? registryFirst : own).filter(
        ({ record }) => record.registrar?.[member] !== undefined,
      );
      const [chosen] = giving;
      if (chosen === undefined) continue;
      registrar[member] = chosen.record.registrar?.[member] ?? '';
      this.fields[`registrar.${member}`] = chosen.id;
      if (member !== 'ianaId') continue;
      this.compare(
        'registrar.ianaId',
        giving.map(({ id, record }) => [id, record.registrar?.ianaId ?? '']),
      );
    }
    if (Object.keys(registrar).length > 0) this.record.registrar = registrar;
  }

  contact(role: ContactRole, sources: readonly Source[]): void {
    const giving = sources.filter(({ record }) => record.contacts[role] !== undefined);
    const chosen = giving.find(({ record }) => saysWho(record.contacts[role])) ?? giving[0];
    const contact = chosen?.record.contacts[role];
    if (chosen === undefined || contact === undefined) return;
    this.record.contacts[role] = contact;
    for (const member of CONTACT_MEMBERS) {
      const path = `contacts.${role}.${member}`;
      if (contact[member] === undefined) continue;
      this.fields[path] = chosen.id;
      if (member === 'handle') continue;
      this.compare(
        path,
        chosenFirst(giving, chosen).flatMap(({ id, record }) => {
          const value = record.contacts[role]?.[member];
          return value === undefined ? [] : [[id, value]];
        }),
      );
    }
  }

  /** Adds redactions of values that no source published, and the privacy flag. */
  rest(registrarFirst: readonly Source[]): void {
    const seen = new Set(Object.keys(this.fields));
    for (const { id, record } of registrarFirst) {
      for (const redaction of record.redactions) {
        if (seen.has(redaction.path)) continue;
        seen.add(redaction.path);
        this.record.redactions.push(redaction);
        this.fields[redaction.path] = id;
      }
      if (record.privacyService && !this.record.privacyService) {
        this.record.privacyService = true;
        this.fields['privacyService'] = id;
      }
    }
  }

  private compare(path: string, values: readonly (readonly [string, string])[]): void {
    const [chosen] = values;
    const different = new Set(values.map(([, value]) => value.trim().toLowerCase()));
    if (chosen === undefined || different.size < 2) return;
    this.conflicts.push({ path, chosen: chosen[0], values: Object.fromEntries(values) });
  }
}

/** True if a contact identifies its holder. A withheld contact may still have a handle and a country. */
function saysWho(contact: Contact | undefined): boolean {
  const { name, organization, street, email, phone } = contact ?? {};
  return [name, organization, street, email, phone].some((value) => value !== undefined);
}

function chosenFirst(sources: readonly Source[], chosen: Source): Source[] {
  return [chosen, ...sources.filter((source) => source !== chosen)];
}

function isPublished(value: RegistrationRecord[(typeof REGISTRY_MEMBERS)[number]]): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined;
}

/**
 * Returns the key that is used to compare two values: the day of a date, the members of a list in any order and, with
 * `hasDs`, the numbers and digests of DS records.
 */
function comparable(
  value: RegistrationRecord[(typeof REGISTRY_MEMBERS)[number]],
  hasDs: boolean,
): string {
  if (value === undefined || typeof value === 'string') return value ?? '';
  if (Array.isArray(value)) return value.toSorted().join(' ');
  // Registries and registrars publish the same time in different zones, or without a time of day.
  if ('iso' in value) return value.iso.slice(0, 10);
  const ds = hasDs ? value.ds.toSorted() : [];
  return [value.signed ? 'signed' : 'unsigned', ...ds].join(' ');
}
