import {
  givesNot,
  hasOnlyWordsOfTerms,
  isInWordsOfTerms,
  isNotice,
} from '../../whois/parse/outcome/absence/notices.js';
/**
 * The boilerplate of every answer of a registry: terms, copyright, pointers. RDAP puts it into notices (RFC 9083 §4.3);
 * anything else in a notice of a "not found" may be the reason for it.
 */

/** Words of small print, in the languages in which registries print it. */
const SMALL_PRINT = new RegExp(
  [
    String.raw`\b(?:terms|conditions|copyrights?|disclaimers?|privacy|polic(?:y|ies)|legal|agreements?|inaccura(?:cy|te)|complaints?`,
    String.raw`epp|status codes?|warrant\w*|guarante\w*|purposes?|accura\w+|rights reserved|trademarks?|licen[cs]e[sd]?`,
    String.raw`by (?:querying|submitting|using|accessing)|personal data|data protection|data base right|redacted for privacy`,
    // French, Spanish, Portuguese, Italian, German, Dutch, Swedish, Czech, Polish
    String.raw`utilisation|mentions légales|términos|condiciones|derechos|termos|condições|direitos|termini|condizioni|diritti`,
    String.raw`nutzungsbedingungen|datenschutz\w*|rechte|voorwaarden|villkor|upphovsrätt|podmínky|warunki|regulamin)\b`,
  ].join('|'),
);
const SMALL_PRINT_ELSEWHERE =
  /©|\(c\) ?\d{4}|условия|правила|авторск|利用規約|著作権|免責|条款|條款|声明|版权|版權|이용약관|저작권/;

/** A short line with one of these may hold names of somebody, too. */
const HEADINGS = new RegExp(
  String.raw`\b(?:terms|conditions|copyright|disclaimer|privacy|legal|rights|epp|status codes?|inaccura(?:cy|te)|utilisation|mentions légales|términos|condiciones|derechos|termos|condições|direitos|termini|condizioni|diritti|nutzungsbedingungen|datenschutz\w*|rechte|voorwaarden|villkor|upphovsrätt|podmínky|warunki|regulamin)\b|${SMALL_PRINT_ELSEWHERE.source}`,
);

/** In a line of small print about this answer these words deny something; longer small print speaks in general. */
const DENIALS =
  /\b(?:not?|never|cannot|\w+n't|moved|fail(?:ed|ure|s)?|errors?|invalid|expired|ended|missing|unknown|wrong|un(?:supported|available|reachable)|disabled|(?:black|block)\w*|denied|refused|suspended|terminated|withheld|pending|maintenance|outage|exceeded|throttled|auction|sandbox|simulated|migrat\w*|incomplete|degraded)\b/;
/** Denials of the terms themselves: what the reader shall not do, and what the registry does not answer for. */
const DENIALS_OF_TERMS =
  /\b(?:do not|don't)\b|\bnot (?=(?:guarant|warrant|responsib|liab|assum|accept|represent|necessar))/g;
const CONDITIONS = /\b(?:may|if|might|will|should|shall|must|unless)\b/;
/** Words that speak of now and not in general. */
const NOW =
  /\b(?:currently|temporarily|right now|at (?:this|the) (?:time|moment)|at present|try again|retry|be back)\b/;

const LABELS = /^(?:notices?|information|note|about|help|remarks?|links?|status|rdap|whois|-)$/;
const ADDRESS = /^(?:https?:\/\/\S+|\S+@\S+\.\S+)$/;
/** Whom to contact or what to read. */
const POINTERS =
  /^(?:see|visit|for (?:more|further|additional) (?:information|details|help)|more information|request id|trace id)\b/;
/** Short sentences that send the reader elsewhere, or count. */
const REFERRALS = /^(?:please )?(?:ask|contact|query|see|try|visit)\b|\b\d+ (?:of|to) \d/;
/** Words that hold for names in general. */
const OF_NAMES = /^(?:some|certain|a list of)\b.*\b(?:names|domains)\b/;
/** Where the name may be known instead. */
const ELSEWHERE = /\b(?:authoritative|tlds?|bootstrap|another|other|different)\b|\/domain\//;

/** The subjects and readers of terms of use. */
const SUBJECTS_OF_TERMS =
  /\b(?:you|your|we|our|users?|access|quer(?:y|ies)|data(?:base)?|information|services?|use|used|using|responses?|answers?|results?|transmission|third part(?:y|ies))\b/;
/** A statement about one name: terms hold for all of them. */
const OF_ONE_NAME =
  /\b(?:th(?:is|at)|the|your|requested|queried|said) (?:(?:requested|queried|above|given) )?(?:domain|name|label|object|registration|record|entry|delegation|holder|registrant)s?\b(?! (?:database|names? (?:database|system)|data|service|registry|space|owners?))/;

/** Under a heading of small print, a line of this length about its subjects is its text. */
const PROSE_LENGTH_MIN = 60;
const OF_NAMES_LENGTH_MAX = 80;
/** Fewer words are a remark. */
const SHORT_WORDS_MIN = 6;
const CASES_LENGTH_MIN = 40;
/** A longer line speaks of cases. */
const STATEMENT_LENGTH_MAX = 120;

/** A line that names an address to turn to and says nothing else. @param line plain lower-case text. */
export function isPointer(line: string): boolean {
  return POINTERS.test(line) && /https?:|@/.test(line) && !ELSEWHERE.test(line);
}

/** A title or line that is plainly small print. */
export function isSmallPrint(line: string): boolean {
  return LABELS.test(line) || ADDRESS.test(line) || isPointer(line) || isOfTerms(line);
}

/** A heading such as `Terms of Use`. */
export function isOfTerms(line: string): boolean {
  const isKnown = [SMALL_PRINT, SMALL_PRINT_ELSEWHERE, OF_NAMES].some((it) => it.test(line));
  if (!isKnown || denies(line)) return false;
  if (OF_NAMES.test(line) && line.length < OF_NAMES_LENGTH_MAX) return true;
  if (line.length >= PROSE_LENGTH_MIN) return isInTerms(line);
  return (HEADINGS.test(line) || hasOnlyWordsOfTerms(line)) && !givesNot(line);
}

/** A line under such a heading: each of its sentences is of terms. */
export function isTextOfTerms(line: string): boolean {
  return sentencesOf(line).every(isSentenceOfTerms);
}

/** The sentences of a line, of which each has to be understood. */
export function sentencesOf(line: string): string[] {
  return line.split(/(?<=[.!?;])(?<!\b(?:inc|ltd|co|no|e\.g|i\.e)\.)\s+/);
}

function isSentenceOfTerms(line: string): boolean {
  if (isSmallPrint(line)) return true;
  if (REFERRALS.test(line)) return false;
  if (line.length < PROSE_LENGTH_MIN && (isNotice(line) || isShortTerm(line))) return true;
  const lengthMin =
    CONDITIONS.test(line) || /https?:/.test(line) ? CASES_LENGTH_MIN : PROSE_LENGTH_MIN;
  if (line.length < lengthMin || denies(line)) return false;
  if (!SUBJECTS_OF_TERMS.test(line) || OF_ONE_NAME.test(line)) return false;
  if (!isInTerms(line)) return false;
  return !(isStatement(line) && ELSEWHERE.test(line));
}

function isShortTerm(line: string): boolean {
  if (line.split(' ').length < SHORT_WORDS_MIN || !hasOnlyWordsOfTerms(line)) return false;
  return (
    SUBJECTS_OF_TERMS.test(line) && !OF_ONE_NAME.test(line) && !denies(line) && !givesNot(line)
  );
}

/** Nothing but words of terms, of which none says what the service leaves out. */
function isInTerms(line: string): boolean {
  return isInWordsOfTerms(line) && !givesNot(line);
}

function denies(line: string): boolean {
  if (NOW.test(line)) return true;
  return isStatement(line) && DENIALS.test(line.replace(DENIALS_OF_TERMS, ''));
}

function isStatement(line: string): boolean {
  return line.length <= STATEMENT_LENGTH_MAX && !CONDITIONS.test(line);
}
