import { plainText } from '../../whois/parse/outcome/announcements.js';
import { withoutNames } from '../../whois/parse/outcome/asked-name.js';
import { isLimitNotice } from '../../whois/parse/outcome/limit-notices.js';
import { saysThrottled } from '../../whois/parse/outcome/classifier.js';
import {
  LINES_MAX,
  isErrorOnly,
  isObject,
  noticesIn,
  type Place,
  textsIn,
} from './error-members.js';
import type { JsonObject } from '../json-reading.js';
import { restrictionOfAbsence } from '../restriction.js';
import {
  isOfOtherSuffixes,
  isSmallPrint,
  namesOtherSuffixes,
  sentencesIn,
} from '../../small-print/small-print.js';
import { type AskedName, askedNames, saysAbsent } from './said-absence.js';

/** The meaning of a 404: that the name does not exist, or something else. */
export type NotFoundMeaning = 'absent' | 'kept_back' | 'throttled' | 'outage' | 'unclear';

const OUTAGES =
  /\b(maintenance|unavailable|unreachable|out of service|outage|offline|overload(ed)?|internal (server )?error|bad gateway|gateway|upstream|backend|timed?[ -]?out|not responding|(data ?base|connection|service) (error|failure|failed|down|closed|lost|refused|reset))\b/;
const THROTTLES =
  /\b(rate[- ]?limit\w*|quota|throttl\w+|too many|too (fast|frequent|often)|slow down|exceed\w*|(access|permission|request|query) (is |was |has been )?(denied|refused|blocked|forbidden|rejected|restricted|suspended)|forbidden|unauthori[sz]ed|not (authori[sz]ed|allowed|permitted) to|black-?list\w*|block-?list\w*|banned|captcha|abuse detected|log ?in required|authentication|api key)\b/;
const WRONG_SERVICE =
  /\b(authoritative|tld|tlds|bootstrap|another|other|different|transferred|(?:held|managed) by)\b/;
const NO_NAMES: AskedName = new Set();
/** Statements of registrars or shops about their own customers. */
const OF_REGISTRARS =
  /\b(?:registrars?|(?:by|through|with) us)\b|^(?:is )?(?:available|free)[.!]?$/;
/** The bare status code (RFC 9110 §15.5.5), which does not say what was not found. */
const CODE_TITLES =
  /^(?:(?:http|rdap|status|code|error) ?){0,3}(?:404)?[\s:.–-]{0,3}(?:error)?[.!]?$|^about:blank$/;

const NOTICE_LENGTH_MAX = 120;
/** Maximum number of sentences in notices. Each takes time to read, and the longest known terms have far fewer. */
const SENTENCES_MAX = 500;
/** Maximum length of a statement of absence. */
const STATEMENT_LENGTH_MAX = 240;

interface Said {
  texts: readonly string[];
  /** The texts of notices and the titles of links that are not small print and do not state that the name is absent. */
  beside: readonly string[];
}

/**
 * Returns the meaning of the body of a "not found" (RFC 9083 §6). It means absence only if the registry says so about
 * this name, and says nothing else: each text of the body states the absence, is the bare status or is small print, and
 * each notice states the absence or is small print. If the body has no text, the error code states the absence.
 *
 * @param asked the queried domain name in A-labels; empty for another kind of object, whose body means absence unless
 *   it describes an object, says why the server gives no data or refers to another service.
 * @param host the host that answered, if its links are to be compared with it.
 */
export function meaningOfNotFound(json: JsonObject, asked: string, host?: string): NotFoundMeaning {
  const names = askedNames(asked);
  const sentences = noticesIn(json).flatMap(sentencesIn);
  if (sentences.length > SENTENCES_MAX) return 'unclear';
  const beside = sentences.filter((text) => !isSilent(text, asked) && !isAbout(plain(text), names));
  const said = { texts: textsIn(json), beside };
  const refusal = refusalIn(json, said, asked);
  if (refusal !== undefined) return refusal;
  if (isObject(json)) return 'unclear';
  const place = { asked, host };
  const isAbsent =
    asked === '' ? isAbsenceOfNumber(json, said, place) : isOnlyAbsence(json, said, place);
  return isAbsent ? 'absent' : 'unclear';
}

/**
 * Returns why the server gives no data, if the texts of a body or a notice about this query say so; otherwise
 * undefined.
 */
function refusalIn(json: JsonObject, said: Said, asked: string): NotFoundMeaning | undefined {
  const names = askedNames(asked);
  const lines = said.texts.map((text) => withoutNames(plain(text), names));
  const around = statementsOf(said.beside).map((text) => withoutNames(text, names));
  const all = [...lines, ...around];
  if (all.some(saysThrottled) || lines.some((line) => THROTTLES.test(line))) return 'throttled';
  if (restrictionOfAbsence(json, asked) !== undefined) return 'kept_back';
  if (all.some((line) => OUTAGES.test(line))) return 'outage';
  const isLimited = all.some((text) => isLimitNotice({ text, isProse: false, line: 0 }));
  return isLimited ? 'throttled' : undefined;
}

/**
 * True if a body without a domain name is an error without details, and one of its texts, if it has any, states an
 * absence. Few servers answer about numbers, in words of their own, so not every text must be understood.
 */
function isAbsenceOfNumber(json: JsonObject, said: Said, place: Place): boolean {
  const lines = said.texts.map((text) => plainly(plain(text)));
  const isSaid = lines.length === 0 || lines.some((line) => saysAbsent(line, NO_NAMES));
  return isSaid && isErrorOnly(json, place) && !isOfAnotherService(said);
}

function isOfAnotherService({ texts, beside }: Said): boolean {
  return [...texts.map(plain), ...statementsOf(beside)].some((line) => WRONG_SERVICE.test(line));
}

/** True if a body is an error (RFC 9083 §6) that states only that the name is absent. */
function isOnlyAbsence(json: JsonObject, { texts, beside }: Said, place: Place): boolean {
  const { asked } = place;
  const isError = 'errorCode' in json || 'rdapConformance' in json;
  const statements = texts.filter((text) => !(isSilent(text, asked) && /\p{L}/u.test(text)));
  return (
    (isError || texts.length === 0) &&
    texts.length <= LINES_MAX &&
    beside.length === 0 &&
    isErrorOnly(json, place) &&
    statements.every((text) => text.length <= STATEMENT_LENGTH_MAX) &&
    !statements.some((text) => namesOtherSuffixes(text, asked)) &&
    (texts.length === 0 || isAbsence(statements, askedNames(asked)))
  );
}

/**
 * True if at least one statement says that the name is absent, possibly over several lines, and no statement says
 * anything else.
 */
function isAbsence(statements: readonly string[], names: AskedName): boolean {
  const said = statements
    .map((text) => plainly(plain(text)))
    .filter((line) => !CODE_TITLES.test(line));
  const rest = said.filter((line) => !isAbout(line, names));
  if (rest.length === 0) return said.some((line) => saysAbsent(line, names));
  return rest.length > 1 && isAbout(rest.join(' '), names);
}

const isSilent = (text: string, asked: string): boolean =>
  isSmallPrint(text) && !isOfOtherSuffixes(text, asked);

const plain = (text: string): string => plainText(text).trim();

/** Returns the lines that are short enough to be about this answer, without those about general cases. */
function statementsOf(texts: readonly string[]): string[] {
  return texts
    .map(plain)
    .filter((line) => line.length <= NOTICE_LENGTH_MAX)
    .filter((line) => !/\b(may|if|might|will|should|terms)\b/.test(line));
}

/** Replaces phrases of RDAP servers with the phrases that port-43 servers use. */
function plainly(line: string): string {
  return line
    .replaceAll('_', ' ')
    .replace(/^(?:(?:rdap|http|error|status|code|404)[\s:.–-]+)+(?=\S)/, '')
    .replace(/\byou are seeking( as)?\b/, 'requested')
    .replace(/ (?:is\/are|is|are) not here\b/, ' not found')
    .replace(/^(?:the |this )?server has no (information|data|records?|entry)\b/, 'no $1 found');
}

/**
 * True for a statement of absence, and for the name alone, for example after `Domain not found:`; false for a
 * question, and for what a registrar says about its own customers.
 */
function isAbout(line: string, asked: AskedName): boolean {
  if (line.endsWith('?') || OF_REGISTRARS.test(withoutNames(line, asked))) return false;
  return asked.has(line.replace(/^["'.]+|["'.]+$/g, '')) || saysAbsent(line, asked);
}
