import { isWithheld } from '#libs/resolvers';

const CONTACTS = [
  'registrant_contact',
  'administrative_contact',
  'technical_contact',
  'billing_contact',
] as const;

export const SELECTORS = ['owner', 'email', 'company'] as const;
export type Selector = (typeof SELECTORS)[number];

const MEMBERS = { owner: 'name', email: 'email_address', company: 'company' } as const;

export type PublishedValues = Readonly<Record<Selector, readonly string[]>>;

/**
 * Returns the values that a registration publishes about its contacts, without withheld values; none if a privacy
 * service replaces the contacts.
 */
export function publishedValues(record: Readonly<Record<string, unknown>>): PublishedValues {
  const contacts =
    record.privacy_service === true
      ? []
      : CONTACTS.map((contact) => (record[contact] ?? {}) as Record<string, unknown>);
  const valuesOf = (selector: Selector) => {
    const values = contacts.map((contact) => contact[MEMBERS[selector]]);
    const published = values.filter(
      (value): value is string => typeof value === 'string' && !isWithheld(value),
    );
    return [...new Set(published)];
  };
  return { owner: valuesOf('owner'), email: valuesOf('email'), company: valuesOf('company') };
}

/**
 * Returns a value in a form that is the same for different spellings. It has no invisible characters, such as the
 * joiners of Persian names, which the records of the corpus lack.
 */
export const foldedValue = (value: string) =>
  value
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\p{Cf}/gu, '')
    .replace(/\s+/gu, ' ')
    .trim();
