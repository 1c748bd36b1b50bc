import type { Contact } from '../../record.js';
import { readCountry } from '../../whois/parse/fields/countries.js';
import {
  isEmptyValue,
  isNamibia,
  isWithheld,
  namesPage,
} from '../../whois/parse/fields/placeholders.js';

/** The contents of a contact card, before the owner of the card is known. */
export interface PublishedContact {
  contact: Contact;
  /** Whether the card belongs to an organisation, so that the name on the card is that of the organisation. */
  isOrganization: boolean;
  url?: string;
  /** The members whose text says that the value is withheld. */
  withheld: (keyof Contact)[];
}

export function publishedContact(
  values: { [Member in keyof Contact]: Contact[Member] | undefined },
  { url, kind }: Record<'url' | 'kind', string | undefined>,
): PublishedContact {
  const members = (Object.keys(values) as (keyof Contact)[]).filter((member) => {
    const value = values[member] ?? '';
    return !isEmptyValue(value) || isNamibia(member, value);
  });
  const withheld = members.filter((member) => {
    const value = values[member] ?? '';
    return isWithheld(value) || (member === 'email' && namesPage(value));
  });
  const published = members.filter((member) => !withheld.includes(member));
  const contact = Object.fromEntries(published.map((member) => [member, values[member]]));
  const isOrganization = kind?.toLowerCase() === 'org';
  return { contact, withheld, isOrganization, ...(url === undefined ? {} : { url }) };
}

/** Returns a country by its code or, if the code is not published or unknown, by its name. */
export function country(
  code: string | undefined,
  name: string | undefined,
): Pick<Contact, 'countryCode' | 'countryName'> {
  const read = [code, name].filter((text) => text !== undefined).map(readCountry);
  const { code: countryCode, name: countryName } =
    read.find((one) => one.code !== undefined) ?? read.at(-1) ?? {};
  return {
    ...(countryCode === undefined ? {} : { countryCode }),
    ...(countryName === undefined ? {} : { countryName }),
  };
}
