import type { Contact } from '../../../record.js';
import type { ContactField, ContactStyle } from './contact-field.js';
import { readContactLines } from './contact-lines.js';
import { readCountry } from './countries.js';
import { readCityLine, readPostalAddress } from './postal-address.js';
import { isEmptyValue, isNamibia, isWithheld, namesPage } from './placeholders.js';

const VALUE_LENGTH_MAX = 500;
const LINES_MAX = 16;

/** A contact that is being read: published values, unlabelled lines, and withheld fields. */
export class ContactDraft {
  private readonly values = new Map<ContactField, string[]>();
  private readonly withheld = new Set<ContactField>();
  private readonly lines: string[] = [];

  /**
   * Adds a value; of fields other than `line` and `street`, only the first value counts. A placeholder is recorded as
   * withheld; `n/a` and the like are dropped.
   */
  add(field: ContactField, text: string): void {
    const value = withoutQuotes(text.trim().slice(0, VALUE_LENGTH_MAX));
    if (isEmptyValue(value) && !isNamibia(field, value)) return;
    if (isWithheld(value) || (field === 'email' && namesPage(value))) {
      this.withheld.add(field === 'line' ? 'name' : field);
      return;
    }
    if (field === 'line') {
      if (this.lines.length < LINES_MAX) this.lines.push(value);
      return;
    }
    const known = this.values.get(field);
    if (known === undefined) this.values.set(field, [value]);
    else if (field === 'street' && known.length < LINES_MAX) known.push(value);
  }

  /**
   * True if this party's fields are already set, so that a further header of its role starts another party.
   * @param isNamedBesideHeader whether the further header's line contains a name.
   */
  isTaken(isNamedBesideHeader: boolean): boolean {
    if (this.lines.length > 0 || this.values.has('organization')) return true;
    if (isNamedBesideHeader) return this.values.has('heading');
    return this.values.has('name') || this.values.has('lastName');
  }

  /**
   * Adds the fields that only `other` has: the domain's own lines about the party, such as a name or a telephone
   * number. A value that is the party's handle is left out.
   * @returns this draft.
   */
  joinedWith(other: ContactDraft, handle: string | undefined): ContactDraft {
    for (const [field, [value]] of other.values) {
      if (!this.values.has(field) && value !== handle) this.add(field, value);
    }
    return this;
  }

  /**
   * Makes `handle` this contact's handle. A heading or name with this text is dropped: it was only a reference to an
   * object that the answer lacks.
   */
  takeHandle(handle: string): void {
    for (const field of ['heading', 'name'] as const) {
      if (this.first(field) === handle) this.values.delete(field);
    }
    this.add('handle', handle);
  }

  first(field: ContactField): string | undefined {
    return this.values.get(field)?.[0];
  }

  /** Returns the fields that have only a placeholder, by their names in `Contact`. */
  withheldFields(): string[] {
    const fields = [...this.withheld].filter((field) => !this.values.has(field));
    const members = fields.map((field) => CONTACT_MEMBERS[field] ?? field);
    return [...new Set(members)].filter((member) => member !== 'party' && member !== 'url');
  }

  toContact(style: ContactStyle): Contact {
    const hasName = this.values.has('name') || this.values.has('heading');
    const labelled = new Set(this.values.keys());
    for (const [field, value] of readContactLines(this.lines, style.block, hasName)) {
      if (!labelled.has(field)) this.add(field, value);
    }
    if (style.organizationFirst && !this.isOrganization()) {
      this.takeOrganization(style.address.length === 0 ? 3 : style.address.length + 2);
    }
    const contact: Contact = {
      handle: this.first('handle'),
      ...this.names(),
      ...this.place(style),
      email: readEmail(this.first('email')),
      phone: readPhone(this.first('phone')),
      fax: readPhone(this.first('fax')),
    };
    if (contact.organization === undefined && this.isOrganization()) {
      contact.organization = contact.name;
      contact.name = undefined;
    }
    return withoutAbsent(contact);
  }

  /**
   * Returns the name and organisation. If a person is also named, the name on the header's line is the organisation.
   */
  private names(): Contact {
    const [heading, organization] = [this.first('heading'), this.first('organization')];
    const name = this.first('name') ?? this.joinedName();
    if (name === undefined) return { name: heading, organization };
    return { name, organization: organization ?? (heading === name ? undefined : heading) };
  }

  private isOrganization(): boolean {
    const party = this.first('party')?.toLowerCase() ?? '';
    return party.startsWith('org') || party.startsWith('legal');
  }

  /** Takes the first address line as the employer if there are at least this many lines and it contains no digit. */
  private takeOrganization(linesMin: number): void {
    const lines = this.values.get('street') ?? [];
    if (lines.length < linesMin || this.values.has('organization') || /[0-9]/.test(lines[0]))
      return;
    this.values.set('organization', [lines[0]]);
    this.values.set('street', lines.slice(1));
  }

  private place(style: ContactStyle): Contact {
    const lines = this.values.get('street') ?? [];
    const isSplit = this.values.has('city') || this.values.has('postalCode');
    const parts = style.address.filter((it) => it !== 'country' || !this.values.has('country'));
    const address = readPostalAddress(lines, isSplit ? [] : parts);
    const cityLine = this.values.has('postalCode')
      ? undefined
      : readCityLine(this.first('city') ?? '');
    const country = this.first('country') ?? address.country;
    const { code, name } = country === undefined ? {} : readCountry(country);
    return {
      street: address.street.length === 0 ? undefined : address.street.join('\n'),
      city: cityLine?.city ?? this.first('city') ?? address.city,
      state: this.first('state') ?? address.state,
      postalCode: cityLine?.postalCode ?? this.first('postalCode') ?? address.postalCode,
      countryCode: code,
      countryName: name,
    };
  }

  private joinedName(): string | undefined {
    const parts = [this.first('firstName'), this.first('lastName')];
    return parts.filter((part) => part !== undefined).join(' ') || undefined;
  }
}

const CONTACT_MEMBERS: Partial<Record<ContactField, string>> = {
  heading: 'name',
  country: 'countryCode',
  firstName: 'name',
  lastName: 'name',
};

/** Undoes the usual obfuscations of an e-mail address. @returns undefined for a text without an address. */
function readEmail(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  let email = text;
  for (const disguise of [' AT ', ' at ', ' [at] ', '[at]', ' (at) ', '(at)', ' en ']) {
    if (!email.includes('@')) email = email.replace(disguise, '@');
  }
  const word = email.split(/[\s;]/).find((it) => it.includes('@'));
  if (word === undefined || word.length > 254) return undefined;
  return trimMarks(word);
}

function trimMarks(word: string): string | undefined {
  let [start, end] = [0, word.length];
  while (start < end && '<("\'[,;'.includes(word[start])) start += 1;
  while (end > start && '>)"\'],;.'.includes(word[end - 1])) end -= 1;
  const address = word.slice(start, end).replace('mailto:', '');
  return address.length > 2 ? address : undefined;
}

function readPhone(text: string | undefined): string | undefined {
  if (text === undefined || text.length > 60) return undefined;
  let digits = 0;
  for (const character of text) if (character >= '0' && character <= '9') digits += 1;
  return digits < 3 ? undefined : text;
}

function withoutQuotes(text: string): string {
  const isQuoted = text.length > 1 && text.startsWith('"') && text.endsWith('"');
  return isQuoted ? text.slice(1, -1) : text;
}

function withoutAbsent(contact: Contact): Contact {
  const kept = Object.entries(contact).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as Contact;
}
