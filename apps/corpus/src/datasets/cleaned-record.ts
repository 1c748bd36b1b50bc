import { isEmptyValue, isNamibia, isWithheld, readCountry } from '#libs/resolvers';
import { type Members, PERSONAL_CONTACTS, type Registration } from '../records/registration.js';

const PHONES = ['phone', 'fax'] as const;
const PHONE_DIGITS = /^\+[1-9][0-9]{6,14}$/;

/**
 * Cleans the contacts of a record: removes placeholders and withheld values, and converts e-mail addresses to lower
 * case, telephone numbers to E.164 and countries to ISO 3166 codes. Values that cannot be converted are removed.
 * @returns undefined for a record of a privacy service, and for one whose registrant then has neither an e-mail address
 * nor a telephone number nor both a name and a street.
 */
export function cleanedRecord(record: Registration): Registration | undefined {
  if (record.privacy_service === true) return undefined;
  const cleaned = { ...record };
  for (const contact of PERSONAL_CONTACTS) {
    const members = cleanedContact((record[contact] ?? {}) as Members);
    if (Object.keys(members).length > 0) cleaned[contact] = members;
    else delete cleaned[contact];
  }
  const holder = (cleaned.registrant_contact ?? {}) as Members;
  const isReachable = holder.email_address || holder.phone || (holder.name && holder.street);
  return isReachable ? cleaned : undefined;
}

function cleanedContact(members: Members): Members {
  const cleaned: Members = {};
  for (const [member, value] of Object.entries(members)) {
    if (typeof value !== 'string' || isWithheld(value)) continue;
    if (isEmptyValue(value) && !isNamibia(member, value)) continue;
    cleaned[member] = value;
  }
  const { email_address: email } = cleaned;
  if (typeof email === 'string') {
    // A link to a web form in place of an e-mail address is dropped.
    if (email.includes('@') && !email.includes(' ')) cleaned.email_address = email.toLowerCase();
    else delete cleaned.email_address;
  }
  for (const member of PHONES) set(cleaned, member, phoneOf(cleaned[member]));
  const code = countryOf(cleaned.country_code) ?? countryOf(cleaned.country_name);
  set(cleaned, 'country_code', code);
  return cleaned;
}

function set(members: Members, member: string, value: string | undefined): void {
  if (value === undefined) delete members[member];
  else members[member] = value;
}

/**
 * Returns the E.164 form of a number that begins with the country code; undefined for other numbers. Drops an
 * extension, and `(0)`, which is dialled only within the country.
 */
function phoneOf(value: Members[string]): string | undefined {
  if (typeof value !== 'string') return undefined;
  const digits = value
    .replace(/(?:ext\.?|x).*$/iu, '')
    .replace('(0)', '')
    .replace(/^00/u, '+')
    .replaceAll(/[^0-9+]/gu, '');
  return PHONE_DIGITS.test(digits) ? digits : undefined;
}

/** Returns the current ISO 3166 code for a code or name of a country: `GB` for `UK`, which is not such a code. */
function countryOf(value: Members[string]): string | undefined {
  const { code } = typeof value === 'string' ? readCountry(value) : {};
  return code && new Intl.Locale(`und-${code}`).region;
}
