import { plainText } from '../whois/parse/outcome/announcements.js';
import { isLimitNotice } from '../whois/parse/outcome/limit-notices.js';
import { saysThrottled } from '../whois/parse/outcome/classifier.js';
import { isHostName } from '../safe-connect/host-name.js';
import { type JsonObject, linesIn, linesUpTo, listIn, objectsIn, textIn } from './json-reading.js';
import { nameInLink } from './rdap-url.js';
import { restrictionOfAbsence } from './restriction.js';
import {
  isOfOtherSuffixes,
  isSmallPrint,
  namesOtherSuffixes,
  sentencesIn,
} from '../small-print/small-print.js';
import { askedNames, saysAbsent } from './wording/said-absence.js';

/** The meaning of a 404: its body says that the name does not exist, or something else. */
export type NotFoundMeaning = 'absent' | 'kept_back' | 'throttled' | 'outage' | 'unclear';

const LINES_MAX = 60;
const DEPTH_MAX = 3;

/** Members that occur in every answer: how to read it, or which answer it is. */
const SILENT_MEMBERS: ReadonlySet<string> = new Set([
  'lang',
  'links',
  'notices',
  'port43',
  'rdapConformance',
]);
/** A language with script and region (RFC 5646 §2.1); longer subtags could be words. */
const LANGUAGE_TAG = /^(?:[a-z]{2,3}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?)?$/i;
/** What a WHOIS host has in its name: `held.by.another` may be a statement. */
const OF_WHOIS_HOST = /(?:^|[.-])(?:\w*whois\d*|rdap\d*|nic)[.-]/;
const IDENTIFIERS: ReadonlySet<string> = new Set(['id', 'requestId', 'timestamp', 'traceId']);
/** An identifier is a token with digits, or a time, with these between its parts. */
const BETWEEN_PARTS = /[\s.:+,/_-]+/;
/** A part that may be a word which says something, unless it is hexadecimal. */
const WORD = /^(?![a-f]+$)\p{L}{4,}$/iu;
/** Members outside RFC 9083 that contain texts about the error, or say that there is one. */
const NESTED: ReadonlySet<string> = new Set(['details', 'error', 'errors', 'remarks']);
/** Relations of links to the answer itself, or to texts about the service. */
const EXPLAINING: ReadonlySet<string> = new Set(
  'self about help terms-of-service privacy-policy license copyright search describedby'.split(' '),
);
const LINK_MEMBERS: ReadonlySet<string> = new Set(
  'value rel href hreflang title media type'.split(' '),
);
const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['error', true],
  ['success', false],
]);

const OUTAGES =
  /\b(maintenance|unavailable|unreachable|out of service|outage|offline|overload(ed)?|internal (server )?error|bad gateway|gateway|upstream|backend|timed?[ -]?out|not responding|(data ?base|connection|service) (error|failure|failed|down|closed|lost|refused|reset))\b/;
const THROTTLES =
  /\b(rate[- ]?limit\w*|quota|throttl\w+|too many|too (fast|frequent|often)|slow down|exceed\w*|(access|permission|request|query) (is |was |has been )?(denied|refused|blocked|forbidden|rejected|restricted|suspended)|forbidden|unauthori[sz]ed|not (authori[sz]ed|allowed|permitted) to|black-?list\w*|block-?list\w*|banned|captcha|abuse detected|log ?in required|authentication|api key)\b/;
const WRONG_SERVICE = /\b(authoritative|tld|tlds|bootstrap|another|other|different)\b/;
/** Statements of a registrar or a shop about its own customers. */
const OF_REGISTRARS =
  /\b(?:registrars?|(?:by|through|with) us)\b|^(?:is )?(?:available|free)[.!]?$/;
/** The status code without its meaning (RFC 9110 §15.5.5): it says that something failed, but not what. */
const CODE_TITLES =
  /^(?:(?:http|rdap|status|code|error) ?){0,3}(?:404)?[\s:.–-]{0,3}(?:error)?[.!]?$|^about:blank$/;

const NOTICE_LENGTH_MAX = 120;
/** Ten times the longest terms known. */
const NOTICE_TEXT_LENGTH_MAX = 32_768;

/**
 * The meaning of the body of a "not found" (RFC 9083 §6). Absence requires that the registry states it about this name
 * and states nothing else: one text of the body states it, each other text is the bare status or a pointer, and each
 * notice is small print. A body without a text states it by its error code.
 *
 * @param asked a domain name in A-labels; empty for another kind of object, for which only rejections are recognised.
 * @param host the host that answered, if its links are to be compared with it.
 */
export function meaningOfNotFound(json: JsonObject, asked: string, host?: string): NotFoundMeaning {
  const names = askedNames(asked);
  const texts = textsIn(json);
  const lines = texts.map(plain);
  const isSilent = (text: string) => isSmallPrint(text) && !isOfOtherSuffixes(text, asked);
  const beside = noticesIn(json)
    .flatMap(sentencesIn)
    .filter((text) => !isSilent(text) && !isAbout(plain(text), names));
  const around = statementsOf(beside.map(plain));
  if ([...lines, ...around].some(saysThrottled)) return 'throttled';
  if (lines.some((line) => THROTTLES.test(line))) return 'throttled';
  if (restrictionOfAbsence(json, asked) !== undefined) return 'kept_back';
  if ([...lines, ...around].some((line) => OUTAGES.test(line))) return 'outage';
  if (around.some((line) => isLimitNotice({ text: line, isProse: false, line: 0 }))) {
    return 'throttled';
  }
  if (isObject(json)) return 'unclear';
  if (asked === '') {
    return [...lines, ...around].some((line) => WRONG_SERVICE.test(line)) ? 'unclear' : 'absent';
  }
  const isError = 'errorCode' in json || 'rdapConformance' in json;
  if (texts.length > 0 && !isError) return 'unclear';
  if (beside.length > 0 || !isErrorOnly(json, { asked, host })) return 'unclear';
  const statements = texts.filter((text) => !(isSilent(text) && /\p{L}/u.test(text)));
  if (statements.some((text) => namesOtherSuffixes(text, asked))) return 'unclear';
  const said = statements
    .map((text) => plainly(plain(text)))
    .filter((line) => !CODE_TITLES.test(line));
  if (said.length === 0) return texts.length === 0 ? 'absent' : 'unclear';
  return isAbsence(said, names) ? 'absent' : 'unclear';
}

/** At least one statement says so, possibly over several lines, and no line says anything else. */
function isAbsence(said: readonly string[], names: ReadonlySet<string>): boolean {
  const rest = said.filter((line) => !isAbout(line, names));
  if (rest.length === 0) return said.some((line) => saysAbsent(line, names));
  return rest.length > 1 && isAbout(rest.join(' '), names);
}

const plain = (text: string): string => plainText(text).trim();

/** Only an error's texts, its code, and members of every answer, because any other member may describe the name. */
function isErrorOnly(json: JsonObject, place: Place, depth = 0): boolean {
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
    if (typeof value === 'string' || value === null) return true;
    if (typeof value === 'number') return value === 404;
    if (typeof value === 'boolean') return FLAGS.get(member) === value;
    if (isListOf(value, 'string')) return true;
    const parts = objectsIn(Array.isArray(value) ? value : [value]);
    return (
      NESTED.has(member) &&
      depth < DEPTH_MAX &&
      parts.every((it) => isErrorOnly(it, place, depth + 1))
    );
  });
}

function isWhoisHost(value: unknown): boolean {
  if (value === '') return true;
  const host = typeof value === 'string' ? value.toLowerCase() : '';
  return isHostName(host) && OF_WHOIS_HOST.test(host);
}

/** An extension, but not a sentence. */
const isWord = (value: unknown): boolean => typeof value === 'string' && /^[\w.:-]*$/.test(value);

function isIdentifier(text: string): boolean {
  return /\d/.test(text) && !text.split(BETWEEN_PARTS).some((part) => WORD.test(part));
}

/** A longer list is not read to its end. */
function isListOf(value: unknown, type: 'object' | 'string'): boolean {
  if (!Array.isArray(value) || value.length > LINES_MAX) return false;
  return value.every((part) => typeof part === type && part !== null);
}

/** A notice of nothing but texts and links. */
function isNotice(value: unknown, place: Place): boolean {
  return Object.entries(value as object).every(([member, part]) =>
    member === 'links'
      ? isLinks(part, place)
      : typeof part === 'string' || isListOf(part, 'string'),
  );
}

/** The name asked for, and the host that answered. */
interface Place {
  asked: string;
  host: string | undefined;
}

/** Links, none of which leads to another name, or to another host that has this one. */
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

/** A link of the answer itself that does not explain it: it may lead to the holder, or to who has the name. */
const isElsewhere = ({ rel }: JsonObject): boolean =>
  !(textIn(rel) ?? 'self').split(' ').every((part) => EXPLAINING.has(part.toLowerCase()));

/** An object with its own name contradicts the status. */
function isObject(json: JsonObject): boolean {
  return ['objectClassName', 'ldhName', 'handle', 'events'].some((member) => member in json);
}

/** Every text of the body, whatever the name of its member. */
function textsIn(json: JsonObject, depth = 0): string[] {
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
  return texts.slice(0, LINES_MAX);
}

/** The texts of the notices and the titles of links, which come with every answer. */
function noticesIn(json: JsonObject): string[] {
  const notices = objectsIn(json['notices']).slice(0, LINES_MAX);
  const links = [json, ...notices].flatMap((it) => objectsIn(it['links']));
  return [
    ...notices.flatMap(({ links: _links, ...rest }) => Object.values(rest).flatMap(linesOf)),
    ...links.flatMap(({ title }) => linesOf(title)),
  ];
}

const linesOf = (value: unknown): string[] => linesUpTo(value, NOTICE_TEXT_LENGTH_MAX);

/** Lines short enough to concern this answer, without those about general cases. */
function statementsOf(lines: readonly string[]): string[] {
  return lines
    .filter((line) => line.length <= NOTICE_LENGTH_MAX)
    .filter((line) => !/\b(may|if|might|will|should|terms)\b/.test(line));
}

/** Replaces the phrases of RDAP servers by those of port 43. */
function plainly(line: string): string {
  return line
    .replaceAll('_', ' ')
    .replace(/^(?:(?:rdap|http|error|status|code|404)[\s:.–-]+)+(?=\S)/, '')
    .replace(/\byou are seeking( as)?\b/, 'requested')
    .replace(/ (?:is\/are|is|are) not here\b/, ' not found')
    .replace(/^(?:the |this )?server has no (information|data|records?|entry)\b/, 'no $1 found');
}

/** A statement of absence, or the name alone, for example after `Domain not found:`. */
function isAbout(line: string, asked: ReadonlySet<string>): boolean {
  if (line.endsWith('?') || OF_REGISTRARS.test(line)) return false;
  return asked.has(line.replace(/^["'.]+|["'.]+$/g, '')) || saysAbsent(line, asked);
}
