import type { RegistrationRecord } from '../record.js';
import { announcedRestriction } from '../whois/parse/outcome/classifier.js';
import type { Restriction } from '../whois/parse/outcome/restrictions.js';
import { linesIn, listIn, objectsIn, textIn } from './json-reading.js';
import type { JsonObject } from './rdap-client.js';

/** An announcement is short; what is longer is small print. */
const ANNOUNCEMENT_LENGTH_MAX = 160;

/** Statuses no registration has, in plain words; `server transfer prohibited` is not among them. */
const STATUS_WORDS: readonly (readonly [Restriction, RegExp])[] = [
  ['premium', /\b(premium|platinum)\b/],
  [
    'blocked',
    /\b(blocked|dpml|adultblock|globalblock)\b|^(registration )?(prohibited|forbidden|restricted|banned)$|^(unavailable|not available|unassignable)$/,
  ],
  ['reserved', /\breserved\b/],
];

/**
 * Why nobody can register a name just so: from the statuses of an object (RFC 9083 §5.3), from the
 * remarks about it, or from the notices around it. Asked only of an object without a holder.
 */
export function restrictionOf(json: JsonObject): Restriction | undefined {
  const { status } = json;
  for (const word of plainStatuses(Array.isArray(status) ? listIn(status) : [status])) {
    const restriction = STATUS_WORDS.find(([, words]) => words.test(word))?.[0];
    if (restriction !== undefined) return restriction;
  }
  return restrictionSaid([...objectsIn(json['remarks']), ...objectsIn(json['notices'])]);
}

/**
 * The same from the body of a "not found" (RFC 9083 §6), as a record with nothing else in it. Its
 * title and description speak of this question; notices come with every answer, of anything.
 */
export function readRestrictedAbsence(json: JsonObject): RegistrationRecord | undefined {
  const restriction = restrictionSaid([json]);
  if (restriction === undefined) return undefined;
  const nothing = { nameServers: [], statuses: [], contacts: {}, redactions: [] };
  return { ...nothing, privacyService: false, restriction };
}

function restrictionSaid(texts: readonly JsonObject[]): Restriction | undefined {
  return texts
    .flatMap(({ title, description }) => [...linesIn(title), ...linesIn(description)])
    .filter((line) => line.length <= ANNOUNCEMENT_LENGTH_MAX)
    .map(announcedRestriction)
    .find((restriction) => restriction !== undefined);
}

/** `registryReserved`, `registry-reserved` and `Registry Reserved` say the same. */
function plainStatuses(statuses: readonly unknown[]): string[] {
  return statuses.flatMap((status) => {
    const words = textIn(status)
      ?.replace(/([a-z])([A-Z])/g, '$1 $2')
      .replace(/[\s_-]+/g, ' ');
    return words === undefined ? [] : [words.toLowerCase()];
  });
}
