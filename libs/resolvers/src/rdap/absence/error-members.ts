import { isHostName } from '../../safe-connect/host-name.js';
import { type JsonObject, linesIn, linesUpTo, listIn, objectsIn, textIn } from '../json-reading.js';
import { nameInLink } from '../rdap-url.js';
import { isSmallPrint } from '../../small-print/small-print.js';

/** Maximum number of texts in a body, and of entries in each of its lists. */
export const LINES_MAX = 60;
const DEPTH_MAX = 3;
const TEXT_LENGTH_MAX = 1_000;
/** Maximum length of a notice: ten times the length of the longest known terms. */
const NOTICE_TEXT_LENGTH_MAX = 32_768;
const TEXT_LINES_MAX = 200;

/**
 * Members that occur in every answer, and say nothing about the object. `noticesIn` reads the texts of notices and
 * links.
 */
const SILENT_MEMBERS: ReadonlySet<string> = new Set([
  'lang',
  'links',
  'notices',
  'port43',
  'rdapConformance',
]);
/** A language with script and region (RFC 5646 §2.1). Longer subtags are excluded, because they could be words. */
const LANGUAGE_TAG = /^(?:[a-z]{2,3}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?)?$/i;
/** Matches host names of registry services. Others are excluded, because `held.by.another` may be a statement. */
const OF_WHOIS_HOST = /(?:^|[.-])(?:\w*whois\d*|rdap\d*|nic)[.-]/;
const IDENTIFIERS: ReadonlySet<string> = new Set(['id', 'requestId', 'timestamp', 'traceId']);
/** The characters between the parts of an identifier, which is a token with digits, or a time. */
const BETWEEN_PARTS = /[\s.:+,/_-]+/;
/** A part that may be a meaningful word; hexadecimal parts are excluded. */
const WORD = /^(?![a-f]+$)\p{L}{4,}$/iu;
/** Members that contain texts about the error, or state that there is an error. */
const NESTED: ReadonlySet<string> = new Set(['details', 'error', 'errors', 'remarks']);
/**
 * Members in which a date, an address or small print says nothing about the name. In any other member, it may be a date
 * of the registration, or the holder's address.
 */
const OF_ERROR: ReadonlySet<string> = new Set([
  ...NESTED,
  ...IDENTIFIERS,
  ...'code copyright description detail disclaimer documentation help instance message'.split(' '),
  ...'notice reason status terms text title type'.split(' '),
]);
/** Relations of links to the answer itself, or to texts about the service. */
const EXPLAINING: ReadonlySet<string> = new Set(
  'self about help terms-of-service privacy-policy license copyright search describedby'.split(' '),
);
const LINK_MEMBERS: ReadonlySet<string> = new Set(
  'value rel href hreflang title media type'.split(' '),
);
const OF_OBJECT = 'objectClassName ldhName handle events startAddress startAutnum'.split(' ');
const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['error', true],
  ['success', false],
]);

export interface Place {
  asked: string;
  host: string | undefined;
}

/**
 * True if a body has only the texts and the code of an error, and members that every answer has. Any other member may
 * describe the name.
 */
export function isErrorOnly(json: JsonObject, place: Place, depth = 0): boolean {
  return Object.entries(json).every(([member, value]) => {
    if (member === 'notices') {
      return isListOf(value, 'object') && listIn(value).every((it) => isNotice(it, place));
    }
    if (member === 'links') return isLinks(value, place) && !objectsIn(value).some(isElsewhere);
    if (member === 'rdapConformance')
      return isListOf(value, 'string') && listIn(value).every(isWord);
    if (member === 'lang') return typeof value === 'string' && LANGUAGE_TAG.test(value);
    if (member === 'port43') return isWhoisHost(value);
    if (IDENTIFIERS.has(member) && typeof value === 'number') return true;
    if (value === null) return true;
    if (typeof value === 'string') return isText(member, value);
    if (typeof value === 'number') return value === 404;
    if (typeof value === 'boolean') return FLAGS.get(member) === value;
    if (isListOf(value, 'string')) {
      return listIn(value).every((text) => isText(member, text));
    }
    const parts = objectsIn(Array.isArray(value) ? value : [value]);
    return (
      NESTED.has(member) &&
      depth < DEPTH_MAX &&
      parts.every((it) => isErrorOnly(it, place, depth + 1))
    );
  });
}

/** True for a text that is read in full, and whose member does not make it a detail of a registration. */
function isText(member: string, text: unknown): boolean {
  if (!isReadWhole(text, TEXT_LENGTH_MAX)) return false;
  const isSilent = /[\p{L}\d]/u.test(String(text)) && isSmallPrint(String(text));
  return OF_ERROR.has(member) || !isSilent;
}

function isWhoisHost(value: unknown): boolean {
  if (value === '') return true;
  const host = typeof value === 'string' ? value.toLowerCase() : '';
  return isHostName(host) && OF_WHOIS_HOST.test(host);
}

/** True if a value is a single word, such as the name of an extension, and not a sentence. */
const isWord = (value: unknown): boolean => typeof value === 'string' && /^[\w.:-]*$/.test(value);

/** True for a list of values of this type that is short enough to be read in full. */
function isListOf(value: unknown, type: 'object' | 'string'): boolean {
  if (!Array.isArray(value) || value.length > LINES_MAX) return false;
  return value.every((part) => typeof part === type && part !== null);
}

/** True for a string that is short enough to be read in full; the rest of a longer one could say anything. */
function isReadWhole(text: unknown, lengthMax: number): boolean {
  if (typeof text !== 'string' || text.length > lengthMax) return false;
  return text.split('\n').length <= TEXT_LINES_MAX;
}

/** True if a notice consists only of texts and links. */
function isNotice(value: unknown, place: Place): boolean {
  return Object.entries(value as object).every(([member, part]) =>
    member === 'links'
      ? isLinks(part, place)
      : (isListOf(part, 'string') ? listIn(part) : [part]).every((text) =>
          isReadWhole(text, NOTICE_TEXT_LENGTH_MAX),
        ),
  );
}

/** True for a list of links of which none leads to another name, or to this name on another host. */
function isLinks(links: unknown, { asked, host }: Place): boolean {
  if (!isListOf(links, 'object')) return false;
  return objectsIn(links).every((link) => {
    if (!Object.keys(link).every((member) => LINK_MEMBERS.has(member))) return false;
    const { href, value } = link;
    const [target, context] = [href, value].map((url) =>
      URL.parse(textIn(url) ?? '', `https://${host ?? 'rdap.invalid'}/`),
    );
    const isOfAsked = [target, context].every((url) => isAboutNone(url) || nameIn(url) === asked);
    const isHere = host === undefined || isAboutNone(target) || target?.hostname === host;
    return isOfAsked && isHere;
  });
}

const nameIn = (url: URL | null) => (url === null ? undefined : nameInLink(url));
const isAboutNone = (url: URL | null) => nameIn(url) === undefined;

/** True for a link that does not explain the answer; such a link may lead to the holder of the name. */
const isElsewhere = ({ rel }: JsonObject): boolean =>
  !(textIn(rel) ?? 'self').split(' ').every((part) => EXPLAINING.has(part.toLowerCase()));

/** True if a body describes an object, which contradicts the status. */
export function isObject(json: JsonObject): boolean {
  return OF_OBJECT.some((member) => member in json);
}

/** Returns the texts of the body, except those of silent members and identifiers; at most one more than `LINES_MAX`. */
export function textsIn(json: JsonObject, depth = 0): string[] {
  const texts = Object.entries(json).flatMap(([member, value]): string[] => {
    if (SILENT_MEMBERS.has(member)) return [];
    if (typeof value === 'string') {
      return IDENTIFIERS.has(member) && isIdentifier(value) ? [] : linesIn(value);
    }
    const parts = Array.isArray(value) ? listIn(value) : [value];
    return parts.flatMap((part): string[] => {
      if (typeof part === 'string') return linesIn(part);
      const isDeeper = typeof part === 'object' && part !== null && depth < DEPTH_MAX;
      return isDeeper ? textsIn(part as JsonObject, depth + 1) : [];
    });
  });
  return texts.slice(0, LINES_MAX + 1);
}

/** Returns the texts of the notices and the titles of links, which come with every answer. */
export function noticesIn(json: JsonObject): string[] {
  const notices = objectsIn(json['notices']).slice(0, LINES_MAX);
  const links = [json, ...notices].flatMap((it) => objectsIn(it['links']));
  return [
    ...notices.flatMap(({ links: _links, ...rest }) => Object.values(rest).flatMap(linesOf)),
    ...links.flatMap(({ title }) => linesOf(title)),
  ];
}

const linesOf = (value: unknown): string[] => linesUpTo(value, NOTICE_TEXT_LENGTH_MAX);

function isIdentifier(text: string): boolean {
  return /\d/.test(text) && !text.split(BETWEEN_PARTS).some((part) => WORD.test(part));
}
