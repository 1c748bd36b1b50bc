/** Lower-case texts at the start of a value that replace a withheld value. */
const WITHHELD_STARTS: readonly string[] = [
  'redacted',
  'ano nymous',
  'n/a***',
  'privacy protected',
  'withheld for privacy purposes',
  'select contact',
  'not disclosed',
  'data protected',
  'data redacted',
  'data not disclosed',
  'data withheld',
  'non-public data',
  'not public',
  'statutory masking',
  'gdpr masked',
  'gdpr redacted',
  'masked for privacy',
  'not shown',
  'not published',
  'withheld by',
  'withheld for data',
  'information not available',
  'information redacted',
  'see at www',
  'visit whois',
  'visit www',
  'please visit',
  'please contact the registrar',
  'please query the',
  'select request email form',
  'query the rdds',
  'restricted by registrant',
  'redigido',
  '비공개',
  'n.d. (privacy)',
  '-- redacted',
  'xxxxxx',
  'privacy-protected',
  'data not shown',
  'removed for privacy',
  'for privacy reasons',
  'not available from registry',
];

/**
 * Words that replace a value, alone or followed by the reason. Real values may also begin with them: `Hidden Hills` is
 * a city, and `hidden.valley@farm.example` is an address.
 */
const WITHHELD_WORDS =
  /^(?:hidden|confidential|obfuscated|unpublished|personal data)(?:$|@|[\s)\]>"*!,;:/|_-]*(?:$|[(<[*|]|(?:according|address|and|as|at|because|by|can|contact|data|details|due|email|e-mail|fax|for|from|gdpr|holder|in|information|is|name|not|on|or|owner|per|phone|please|protected|registrant|see|under|until|upon|use|whois)(?![a-z0-9])))/;

/** Values that say only that they replace another value. */
const WITHHELD_VALUES =
  /^(?:\*{3,}|x{3,}|gdpr|masked|withheld|protected|undisclosed|(?:contact|data|email|information|name|phone|registrant)(?: (?:is|are))? (?:hidden|masked|protected|withheld|undisclosed|not disclosed))[\s)\]>"*.!]*$/;

const EMPTY_VALUES = new Set([
  '',
  '-',
  '--',
  '.',
  ',',
  '+',
  '+.',
  'n/a',
  'na',
  'none',
  'null',
  'nil',
  'undefined',
  'not available',
  'not applicable',
  'not applicable.',
  'not.defined.',
  'not.defined',
  'no data',
  'not provided',
  'unknown',
  'unspecified',
  'not assigned',
  'no name servers listed.',
  '---',
  '|-',
  'out of turkey,',
]);

/** Names of services that replace a registrant, anywhere in a name or address. */
const PRIVACY_SERVICES: readonly string[] = [
  'domains by proxy',
  'domainsbyproxy',
  'whoisguard',
  'privacyprotect',
  'privacy protect',
  'whois privacy',
  'whoisprivacy',
  'contact privacy inc',
  'contactprivacy',
  'perfect privacy',
  'withheld for privacy',
  'withheldforprivacy',
  'domain privacy',
  'privacy service',
  'privacy guardian',
  'privacyguardian',
  'proxy protection',
  'identity protect',
  'identity protection service',
  'private registration',
  'private registrant',
  'whoisproxy',
  'whois proxy',
  'protected domain services',
  'super privacy',
  'anonymize',
  'privacydotlink',
  'domain protection services',
  'data privacy protected',
  'whois agent',
  'myprivacy',
  'privacy hero',
  'njalla',
  'see privacyguardian',
  'dynadot privacy',
  'proxy service',
  'private by design',
  'knock knock whois',
  'whoissecure',
  'id shield',
  'registration private',
  'domain admin, privacy',
  'privacy administrator',
  'whois protection',
];

/** True if the text replaces a value that its owner or the law withholds. */
export function isWithheld(value: string): boolean {
  const lower = withoutMarks(value).toLowerCase();
  return (
    WITHHELD_STARTS.some((start) => lower.startsWith(start)) ||
    WITHHELD_WORDS.test(lower) ||
    WITHHELD_VALUES.test(lower) ||
    WITHHELD_VALUES.test(value.trim())
  );
}

/** Returns the first 80 characters of a value after any leading marks: `<data not disclosed>`, `** REDACTED **`. */
function withoutMarks(value: string): string {
  let start = 0;
  while (start < value.length && ' \t<[(*-"'.includes(value[start])) start += 1;
  return value.slice(start, start + 80);
}

/**
 * True for a page in place of an e-mail address. Registrars replace a withheld address with a web form, and `Contact
 * form at https://…` would be read as an address.
 */
export function namesPage(email: string): boolean {
  return /^[^@]*(?:https?:\/\/|\bwww\.)/i.test(email);
}

export function isEmptyValue(value: string): boolean {
  return EMPTY_VALUES.has(value.trim().toLowerCase());
}

/** True for `NA` as a country, which is Namibia; in other fields, it means "not available". */
export function isNamibia(member: string, value: string): boolean {
  return member.startsWith('country') && value === 'NA';
}

/** True if a text names a privacy or proxy service, which is published in place of the registrant. */
export function namesPrivacyService(text: string): boolean {
  const lower = text.slice(0, 400).toLowerCase();
  return PRIVACY_SERVICES.some((service) => lower.includes(service));
}
