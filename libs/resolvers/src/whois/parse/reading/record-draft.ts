import { toALabels } from '#libs/domain-names';
import type {
  Contact,
  ContactRole,
  DateValue,
  Redaction,
  Registrar,
  RegistrationRecord,
} from '../../../record.js';
import type { DomainField, RegistrarField } from '../dictionary/target.js';
import type { ContactField } from '../fields/contact-field.js';
import { ContactDraft } from '../fields/contact-draft.js';
import { parseDate, provenOrder, type DateStyle } from '../fields/dates.js';
import { isHostName, readHostNames } from '../fields/host-names.js';
import { isEmptyValue, isWithheld, namesPrivacyService } from '../fields/placeholders.js';
import { readStatuses } from '../fields/statuses.js';
import type { ReadyGrammar } from '../grammars/grammar.js';

const NAME_SERVERS_MAX = 64;
const STATUSES_MAX = 40;
/** Maximum number of dates of one kind that are tried after the first; real answers have a few. */
const DATE_TRIES_MAX = 200;
const DS_MAX = 32;
const OBJECTS_MAX = 200;
const VALUE_LENGTH_MAX = 300;

type DateField = 'created' | 'updated' | 'expires';

/** The data read so far. The first value of a field wins, because registries print theirs at the top. */
export class RecordDraft {
  /** True if the answer contains the handle of any contact. */
  hasHandle = false;
  private domain?: string;
  private roid?: string;
  private readonly dates = new Map<DateField, string>();
  private dateTries = 0;
  private readonly nameServers = new Set<string>();
  private readonly statuses = new Map<string, string>();
  private readonly registrar = new Map<RegistrarField, string>();
  private readonly contacts = new Map<ContactRole, ContactDraft>();
  private readonly references = new Map<ContactRole, string>();
  private readonly objects = new Map<string, ContactDraft>();
  private readonly withheld: string[] = [];
  private dnssec?: string;
  private readonly ds: string[] = [];
  private referral?: string;
  private whoisServer?: string;
  /** True while the lines are about a name other than the requested one. */
  private isOtherDomain = false;
  /** True once the record has begun again; a list of name servers in the repetition replaces the previous list. */
  private isRepeated = false;

  hasDomain(): boolean {
    return this.domain !== undefined;
  }

  hasReferences(): boolean {
    return this.references.size > 0;
  }

  /** True if the answer gives this handle in place of a party's name. */
  isReferred(handle: string): boolean {
    for (const draft of this.contacts.values()) if (draft.first('heading') === handle) return true;
    return false;
  }

  /**
   * Begins the record of a domain; false if the value is not a name. Some servers list every name with the same
   * beginning, or the record of the top-level domain first. The record of the requested name replaces an earlier one,
   * and later ones add nothing. Names that directly follow the requested name are its variants in other scripts.
   */
  startDomain(value: string, asked: string): boolean {
    const name = firstWord(value).toLowerCase();
    const domain = asciiName(name.endsWith('.') ? name.slice(0, -1) : name);
    const isParent = !domain.includes('.') && asked.endsWith(`.${domain}`);
    if (domain === '' || (!isHostName(domain) && domain !== asked && !isParent)) return false;
    if (this.domain === asked && domain !== asked && !this.hasFacts()) return true;
    if (this.domain === undefined) this.domain = domain;
    else if (this.domain !== domain && domain === asked) this.startOver(domain);
    else this.isRepeated = this.domain === domain;
    this.isOtherDomain = this.domain !== domain || isParent;
    return true;
  }

  /** Begins a host object. Before the domain, its data is ignored, because anyone can name a host after any domain. */
  startHost(): void {
    if (this.domain === undefined) this.isOtherDomain = true;
  }

  setDomainField(field: DomainField, text: string, grammar: ReadyGrammar): void {
    const value = text.trim();
    if (this.isOtherDomain || value === '') return;
    if (field !== 'status' && isEmptyValue(value)) return;
    if (field === 'nameServer') this.addNameServer(value);
    else if (field === 'status') this.addStatuses(value);
    else if (field === 'domain') this.startDomain(value, '');
    else if (field === 'roid') this.roid ??= value.slice(0, VALUE_LENGTH_MAX);
    else if (field === 'whoisServer' || field === 'referral') this.setReferral(field, value);
    else if (field === 'dnssec') this.dnssec ??= value.toLowerCase();
    else if (field === 'ds') this.addDs(value);
    else if (field === 'updated') this.setUpdated(value, grammar);
    else this.setDate(field, value, grammar.dates);
  }

  addNameServer(text: string): void {
    if (this.isOtherDomain || this.nameServers.size >= NAME_SERVERS_MAX) return;
    const hosts = readHostNames(text);
    if (hosts.length > 0 && this.isRepeated) this.nameServers.clear();
    if (hosts.length > 0) this.isRepeated = false;
    for (const host of hosts) this.nameServers.add(asciiName(host));
  }

  setRegistrar(field: RegistrarField, text: string): void {
    const value = text.trim().slice(0, VALUE_LENGTH_MAX);
    if (this.isOtherDomain || isEmptyValue(value) || isWithheld(value)) return;
    if (field === 'name') this.setRegistrarName(value);
    else if (field === 'ianaId' && !isIanaId(value)) return;
    else if (!this.registrar.has(field)) this.registrar.set(field, value);
  }

  setRegistrarParty(field: ContactField, value: string): void {
    const own = REGISTRAR_FIELDS[field];
    if (own !== undefined) this.setRegistrar(own, value);
  }

  /**
   * Reads a line below the registrar's header. The first is the name: `legal name t/a trading name [Tag = X]` at
   * Nominet.
   */
  addRegistrarLine(text: string): void {
    const [first] = text.split(' ', 1);
    if (/^https?:/i.test(first)) return this.setRegistrar('url', first);
    if (this.registrar.has('name') && first.includes('@')) return this.setRegistrar('email', first);
    const tag = text.indexOf('[Tag =');
    const close = text.indexOf(']', tag);
    const names = (tag > 0 && close > 0 ? text.slice(0, tag) : text).split(' t/a ');
    this.setRegistrar('name', names[names.length - 1]);
    if (names.length > 1) this.setRegistrar('organization', names[0]);
  }

  contact(role: ContactRole): ContactDraft {
    let draft = this.contacts.get(role);
    if (draft === undefined) this.contacts.set(role, (draft = new ContactDraft()));
    return this.isOtherDomain ? new ContactDraft() : draft;
  }

  /** Opens a contact; the first of a role counts. `isNamedBesideHeader` is true if the header's line has its name. */
  openContact(role: ContactRole, isNamedBesideHeader: boolean): ContactDraft {
    const draft = this.contact(role);
    return draft.isTaken(isNamedBesideHeader) ? new ContactDraft() : draft;
  }

  addReference(role: ContactRole, handle: string): void {
    if (!this.references.has(role)) this.references.set(role, handle.slice(0, VALUE_LENGTH_MAX));
  }

  keepObject(draft: ContactDraft | undefined, handle: string): void {
    const key = handle.trim().toLowerCase();
    if (draft === undefined || key === '' || this.objects.size >= OBJECTS_MAX) return;
    if (!this.objects.has(key)) this.objects.set(key, draft);
  }

  /** Returns the record, with handles resolved and placeholders listed as redactions. */
  finish(grammar: ReadyGrammar): RegistrationRecord {
    const redactions: Redaction[] = this.withheld.map((path) => ({ path, basis: 'text' }));
    const contacts = this.finishContacts(grammar, redactions);
    const record: RegistrationRecord = {
      domain: this.domain,
      handle: this.roid,
      ...this.finishDates(grammar.dates),
      nameServers: [...this.nameServers],
      statuses: [...this.statuses.values()],
      registrar: this.finishRegistrar(),
      contacts,
      dnssec: this.finishDnssec(),
      redactions,
      privacyService: isPrivacyService(contacts.registrant),
      referral: this.referral === undefined ? undefined : { whoisServer: this.referral },
    };
    const kept = Object.entries(record).filter(([, value]) => value !== undefined);
    return Object.fromEntries(kept) as unknown as RegistrationRecord;
  }

  /** Sets the registrar's name, which the id or the address may follow in brackets. */
  private setRegistrarName(value: string): void {
    if (this.registrar.has('name') || value.toLowerCase().startsWith('no registrar')) return;
    const open = value.lastIndexOf('(');
    const remark = open > 0 && value.endsWith(')') ? value.slice(open + 1, -1).trim() : '';
    if (remark.startsWith('http')) this.setRegistrar('url', remark);
    else if (isIanaId(remark)) this.setRegistrar('ianaId', remark);
    const isRemark = remark.startsWith('http') || isRegistrarCode(remark);
    const name = isRemark ? value.slice(0, open).trim() : value;
    const space = name.lastIndexOf(' ');
    const hasCode = space > 0 && isRegistryCode(name.slice(space + 1));
    this.registrar.set('name', hasCode ? name.slice(0, space) : name);
  }

  /** Discards the data read so far except the name, because the record is repeated in the preferred language. */
  startAgain(): void {
    if (this.domain !== undefined) this.startOver(this.domain);
  }

  /** Whether anything of the record has been read besides the name. */
  private hasFacts(): boolean {
    const { dates, nameServers, statuses, registrar, contacts, references } = this;
    return [dates, nameServers, statuses, registrar, contacts, references].some(
      (it) => it.size > 0,
    );
  }

  private startOver(domain: string): void {
    this.domain = domain;
    this.isRepeated = false;
    this.dates.clear();
    this.nameServers.clear();
    this.statuses.clear();
    this.registrar.clear();
    this.contacts.clear();
    this.references.clear();
    this.roid = this.dnssec = this.whoisServer = this.referral = undefined;
    this.ds.length = this.withheld.length = 0;
  }

  /** Sets a host to query next. Only `whois server` is the registrar's own; `refer` may be any server. */
  private setReferral(field: 'whoisServer' | 'referral', value: string): void {
    const host = firstWord(value).slice(0, VALUE_LENGTH_MAX);
    if (!host.includes('.')) return;
    this.referral ??= host;
    if (field === 'whoisServer') this.whoisServer ??= host;
  }

  private addStatuses(value: string): void {
    this.takeStatusDate(value);
    for (const status of readStatuses(value)) {
      if (this.statuses.size >= STATUSES_MAX) return;
      const key = status.toLowerCase();
      if (!this.statuses.has(key)) this.statuses.set(key, status);
    }
  }

  /** Takes the expiry date from a status: `Connected (2026/03/31)`, `OK-UNTIL 20260331000000`. */
  private takeStatusDate(value: string): void {
    const lower = value.toLowerCase();
    const isDated = lower.startsWith('ok-until ') || lower.startsWith('connected (');
    if (isDated && !this.dates.has('expires')) this.dates.set('expires', value.slice(9));
  }

  private addDs(value: string): void {
    if (this.ds.length < DS_MAX) this.ds.push(value.slice(0, VALUE_LENGTH_MAX));
  }

  /** Sets the date of a change. A history of changes may begin with the date of the registration. */
  private setUpdated(value: string, grammar: ReadyGrammar): void {
    if (value.toLowerCase().endsWith('(assigned)')) this.setDate('created', value, grammar.dates);
    if (grammar.lastUpdateLast) this.dates.set('updated', value);
    else this.setDate('updated', value, grammar.dates);
  }

  private setDate(field: DateField, value: string, style: DateStyle): void {
    const known = this.dates.get(field);
    if (known !== undefined && (this.dateTries += 1) > DATE_TRIES_MAX) return;
    if (known !== undefined && parseDate(known, { order: 'dmy', ...style }) !== undefined) return;
    this.dates.set(field, value);
    if (isWithheld(value)) this.withheld.push(field);
  }

  /** Parses the dates. If one of them proves the order of day and month, the others have the same order. */
  private finishDates(style: DateStyle): Partial<Record<DateField, DateValue>> {
    let { order } = style;
    for (const text of this.dates.values()) order ??= provenOrder(text);
    const read: Partial<Record<DateField, DateValue>> = {};
    for (const [field, text] of this.dates) {
      const date = parseDate(text, { ...style, order });
      if (date !== undefined) read[field] = date;
    }
    return read;
  }

  private finishRegistrar(): Registrar | undefined {
    const registrar: Registrar = {};
    for (const [field, value] of this.registrar) registrar[field] = value;
    const { name, organization } = registrar;
    if (organization !== undefined && isHandle(name)) registrar.name = organization;
    if (name === undefined && organization !== undefined) registrar.name = organization;
    if (this.whoisServer !== undefined) registrar.whoisServer = this.whoisServer;
    return Object.keys(registrar).length === 0 ? undefined : registrar;
  }

  private finishContacts(
    grammar: ReadyGrammar,
    redactions: Redaction[],
  ): Partial<Record<ContactRole, Contact>> {
    const contacts: Partial<Record<ContactRole, Contact>> = {};
    for (const role of new Set([...this.contacts.keys(), ...this.references.keys()])) {
      const draft = this.resolve(role);
      const contact = draft.toContact(grammar);
      for (const field of draft.withheldFields()) {
        redactions.push({ path: `contacts.${role}.${field}`, basis: 'text' });
      }
      if (role === 'registrant' && grammar.registrantIsOrganization) moveName(contact);
      if (Object.keys(contact).length > 0) contacts[role] = contact;
    }
    const { registrant, ...others } = contacts;
    const organization = registrant?.organization ?? registrant?.name;
    for (const contact of Object.values(others)) takeOrganization(contact, organization);
    return contacts;
  }

  /** Returns the contact of a role. A reference, or a name that is a handle, is replaced with the object. */
  private resolve(role: ContactRole): ContactDraft {
    const draft = this.contacts.get(role) ?? new ContactDraft();
    const handle = this.references.get(role) ?? draft.first('heading') ?? draft.first('name');
    const object = this.objects.get(handle?.toLowerCase() ?? '');
    if (object !== undefined) return object.joinedWith(draft, handle);
    const reference = this.references.get(role);
    if (reference !== undefined) draft.add('handle', reference);
    else if (this.objects.size > 0 && isHandle(handle)) draft.takeHandle(handle!);
    return draft;
  }

  private finishDnssec(): RegistrationRecord['dnssec'] {
    if (this.ds.length > 0) return { signed: true, ds: this.ds };
    if (this.dnssec === undefined) return undefined;
    return { signed: SIGNED_WORDS.some((word) => this.dnssec?.startsWith(word)), ds: [] };
  }
}

const SIGNED_WORDS = ['signed', 'yes', 'active', 'y', 'true', 'secure', 'delegation signed'];

const REGISTRAR_FIELDS: Partial<Record<ContactField, RegistrarField>> = {
  name: 'name',
  organization: 'organization',
  url: 'url',
  email: 'email',
  phone: 'phone',
  handle: 'ianaId',
};

/** Takes the registrant's name, possibly after a title, from the start of an employee's address as the organisation. */
function takeOrganization(contact: Contact, registrant: string | undefined): void {
  if (registrant === undefined || contact.organization !== undefined) return;
  const lines = contact.street?.split('\n') ?? [];
  const at = lines.findIndex((line) => line.toLowerCase() === registrant.toLowerCase());
  if (at < 0 || at > 1 || contact.name === undefined) return;
  contact.organization = lines[at];
  const street = lines.slice(at + 1).join('\n');
  if (street === '') delete contact.street;
  else contact.street = street;
}

/** Moves the registrant's name to the organisation, because only institutions can register. */
function moveName(contact: Contact): void {
  contact.organization ??= contact.name;
  delete contact.name;
}

function isPrivacyService(registrant: Contact | undefined): boolean {
  if (registrant === undefined) return false;
  const { name, organization, email, street } = registrant;
  return [name, organization, email, street].some(
    (it) => it !== undefined && namesPrivacyService(it),
  );
}

/** True for capital letters with a hyphen and no space: `SAMP-0002`, `SAMPLE-REG`. */
function isHandle(name: string | undefined): boolean {
  if (name === undefined || !name.includes('-') || name.includes(' ')) return false;
  return name === name.toUpperCase() && name.length < 24;
}

/** True for a small number, as IANA's registrar ids are; registries use other numbers for their registrars. */
function isIanaId(value: string): boolean {
  return /^\d{1,5}$/.test(value);
}

/** True for a code that may follow a registrar's name in brackets: `292`, `R22-LRCC`. */
function isRegistrarCode(text: string): boolean {
  return isIanaId(text) || isRegistryCode(text);
}

/** True for a registry's number of a registrar: `R22-LRCC`. */
function isRegistryCode(text: string): boolean {
  const dash = text.indexOf('-');
  return text[0] === 'R' && dash > 1 && isIanaId(text.slice(1, dash)) && text.length < 16;
}

/** Returns a name in A-labels, so that both printed forms compare as equal; returns an invalid name unchanged. */
function asciiName(name: string): string {
  for (let at = 0; at < name.length; at += 1) {
    if (name.charCodeAt(at) > 127) return toALabels(name) || name;
  }
  return name;
}

function firstWord(text: string): string {
  for (let at = 0; at < text.length; at += 1) if (text[at] <= ' ') return text.slice(0, at);
  return text;
}
