import type { RegistrationRecord } from '../record.js';
import { announcedRestriction } from '../whois/parse/outcome/classifier.js';
import { spellingsOf, withoutNames } from '../whois/parse/outcome/asked-name.js';
import type { Restriction } from '../whois/parse/outcome/restrictions.js';
import { type JsonObject, linesIn, listIn, objectsIn, textIn } from './json-reading.js';

/** The maximum length of an announcement; longer text is small print. */
const ANNOUNCEMENT_LENGTH_MAX = 160;
/** A notice with at most this many words is a title: `Reserved Domain`. */
const NOTICE_WORDS_MAX = 4;

/** Statuses that no registration has, in plain words; `server transfer prohibited` is not among them. */
const STATUS_WORDS: readonly (readonly [Restriction, RegExp])[] = [
  ['premium', /\b(premium|platinum)\b/],
  [
    'blocked',
    /\b(blocked|dpml|adultblock|globalblock)\b|^(registration )?(prohibited|forbidden|restricted|banned)$|^(unavailable|not available|unassignable)$/,
  ],
  ['reserved', /\breserved\b/],
];

/**
 * Returns why a name cannot simply be registered, from the statuses of an object (RFC 9083 §5.3), from the remarks
 * about it, or from the notices around it; undefined if none of them says so. Used only for an object without a holder.
 */
export function restrictionOf(json: JsonObject): Restriction | undefined {
  const { status } = json;
  return (
    restrictionInStatuses(Array.isArray(status) ? listIn(status) : [status]) ??
    restrictionSaid([...objectsIn(json['remarks']), ...objectsIn(json['notices'])])
  );
}

function restrictionInStatuses(statuses: readonly unknown[]): Restriction | undefined {
  for (const word of plainStatuses(statuses)) {
    const restriction = STATUS_WORDS.find(([, words]) => words.test(word))?.[0];
    if (restriction !== undefined) return restriction;
  }
  return undefined;
}

/** Returns a record with only the restriction that a "not found" states (RFC 9083 §6); undefined if it states none. */
export function readRestrictedAbsence(
  json: JsonObject,
  asked: string,
): RegistrationRecord | undefined {
  const restriction = restrictionOfAbsence(json, asked);
  if (restriction === undefined) return undefined;
  const nothing = { nameServers: [], statuses: [], contacts: {}, redactions: [] };
  return { ...nothing, privacyService: false, restriction };
}

/**
 * Returns why an absent name cannot be registered; undefined if nothing says so. The title and the description of a
 * "not found" are about this query. Notices and remarks may come with every answer, so a line in one of them counts
 * only if it is about this name, or is as short as a title.
 * @param asked a domain name in A-labels.
 */
export function restrictionOfAbsence(json: JsonObject, asked: string): Restriction | undefined {
  const { status } = json;
  const noted = [...objectsIn(json['notices']), ...objectsIn(json['remarks'])].map((notice) => ({
    title: linesIn(notice['title']).filter((line) => isOfName(line, asked)),
    description: linesIn(notice['description']).filter((line) => isOfName(line, asked)),
  }));
  return (
    restrictionInStatuses(Array.isArray(status) ? listIn(status) : [status]) ??
    restrictionSaid([json], asked) ??
    restrictionSaid(noted, asked)
  );
}

/** True for `This name is reserved` and `Reserved Domain`, but not for `Reserved names are listed at …`. */
function isOfName(line: string, asked: string): boolean {
  const text = line.toLowerCase();
  if (spellingsOf(asked).some((name) => text.includes(name))) return true;
  if (/https?:|\bnames\b|\bdomains\b|\bmay\b|\bsome\b/.test(text)) return false;
  return (
    /\b(this|requested|queried|the (domain|name|label|string|object))\b/.test(text) ||
    text.split(' ').length <= NOTICE_WORDS_MAX
  );
}

function restrictionSaid(texts: readonly JsonObject[], asked = ''): Restriction | undefined {
  const names = spellingsOf(asked);
  return texts
    .flatMap(({ title, description }) => [...linesIn(title), ...linesIn(description)])
    .filter((line) => line.length <= ANNOUNCEMENT_LENGTH_MAX)
    .map((line) => announcedRestriction(withoutNames(line.toLowerCase(), names)))
    .find((restriction) => restriction !== undefined);
}

/**
 * Returns statuses in the same form for all spellings: `registryReserved`, `registry-reserved` and `Registry Reserved`
 * mean the same.
 */
function plainStatuses(statuses: readonly unknown[]): string[] {
  return statuses.flatMap((status) => {
    const words = textIn(status)
      ?.replace(/([a-z])([A-Z])/g, '$1 $2')
      .replace(/[\s_-]+/g, ' ');
    return words === undefined ? [] : [words.toLowerCase()];
  });
}
