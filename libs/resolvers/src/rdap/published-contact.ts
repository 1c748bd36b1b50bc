import type { Contact } from '../record.js';

/** What a contact card says, before it is known whose card it is. */
export interface PublishedContact {
  contact: Contact;
  url?: string;
  /** Members whose place is taken by a text that says the value is kept back. */
  withheld: (keyof Contact)[];
}

const withheldStarts = [
  'confidential',
  'data protected',
  'data redacted',
  'data withheld',
  'gdpr masked',
  'gdpr redacted',
  'hidden',
  'masked for privacy',
  'non-public data',
  'not disclosed',
  'not public',
  'not published',
  'personal data',
  'redacted',
  'removed for privacy',
  'statutory masking',
  'unpublished',
  'withheld by',
  'withheld for data',
];

/** True when the text stands in place of a value that is kept back. */
function isWithheld(text: string): boolean {
  const lower = text.toLowerCase();
  return withheldStarts.some((start) => lower.startsWith(start));
}

/** Separates what is published from placeholders. */
export function publishedContact(
  values: { [Member in keyof Contact]: Contact[Member] | undefined },
  url: string | undefined,
): PublishedContact {
  const members = (Object.keys(values) as (keyof Contact)[]).filter(
    (member) => values[member] !== undefined,
  );
  const withheld = members.filter((member) => isWithheld(values[member] ?? ''));
  const published = members.filter((member) => !withheld.includes(member));
  const contact = Object.fromEntries(published.map((member) => [member, values[member]]));
  return { contact, withheld, ...(url === undefined ? {} : { url }) };
}

/** Country as code when the text is one, as name otherwise. */
export function country(
  code: string | undefined,
  name: string | undefined,
): Pick<Contact, 'countryCode' | 'countryName'> {
  const isCode = (text: string | undefined) => text !== undefined && /^[a-z]{2}$/i.test(text);
  const countryCode = [code, name].find(isCode)?.toUpperCase();
  const countryName = isCode(name) ? undefined : name;
  return {
    ...(countryCode === undefined ? {} : { countryCode }),
    ...(countryName === undefined ? {} : { countryName }),
  };
}
