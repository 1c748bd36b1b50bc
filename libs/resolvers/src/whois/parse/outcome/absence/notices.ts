import { commentBody, type Line } from '../../reading/lines.js';
import { isHostName } from '../../fields/host-names.js';
import { NOTICE_WORDS, TERMS_WORDS } from './notice-words.js';
import { restrictionIn } from '../restrictions.js';

/** The sentences of an answer, its lines joined where one runs on; `undefined` and blank lines part them. */
export function sentencesOf(lines: readonly (Line | undefined)[]): string[] {
  const sentences: string[] = [];
  let open = '';
  let width = 0;
  for (const line of lines) {
    const body = line === undefined || line.blank ? '' : bodyOf(line);
    const goesOn = open !== '' && body !== '' && isGoingOn(open, width, body);
    if (!goesOn && open !== '') sentences.push(open);
    open = goesOn ? `${open} ${body}` : body;
    width = body.length;
  }
  if (open !== '') sentences.push(open);
  return sentences.flatMap((it) =>
    it.split(/(?<=[.!?;])(?<!\b(?:Co|Inc|Ltd|ver|No)\.)\s+(?=["'(\p{Lu}])/u),
  );
}

function bodyOf(line: Line): string {
  const body = line.comment ? commentBody(line) : line.body;
  // A pattern begins where a run does: else a line of 256 KiB would be read anew from each of its characters.
  return body.replace(/^[[&|*\s]+|(?<![\]|*\s])[\]|*\s]+$/g, '').replace(/\s+/g, ' ');
}

function isGoingOn(open: string, width: number, body: string): boolean {
  if (/[.!?:]$/.test(open)) return false;
  return width >= 40 || (body[0] === body[0].toLowerCase() && body[0] !== body[0].toUpperCase());
}

/** The subjects of terms of use, banners, pointers and time stamps: each sentence of a notice holds one of these. */
const ANCHORS =
  /\b(?:whoisd?|rdap|registr(?:y|ies|ars?|ants?|ations?)|copyright|rights?|terms?|polic(?:y|ies)|conditions?|purposes?|accura(?:cy|te)|guarantee[sd]?|agree(?:s|ing|ment)?|acknowledge|abide|comply|notice|disclaimer|prohibited|forbidden|permitted|permission|allowed|authori[sz]ed|lawful|laws?|legal|liab(?:le|ility)|responsib(?:le|ility)|warrant(?:y|ies)|unsolicited|advertising|solicitations?|spam|commercial|automated|high[- ]volume|bulk|e-?mail|telephone|facsimile|repackaging|dissemination|compilation|reproduc(?:ed|tion)|extract(?:ion)?|privacy|personal|protect(?:ed|ion)|consent|express(?:ly)?|explicit(?:ly)?|shall|must|abuse|misuse|copy|download(?:ing)?|restricted|information|details|help|encoding|version|icann|nic|administrator|not be used|above the limit)\b|\(c\)|©|https?:|www\.|@|\b(?:database|competing|accredited|service whois|donn.es|titulaire|propi(?:edad|etario)|dominio|datos|prohibid[oa]|usuarios|fines|legales|informaci.n|proteg\S*|autorisation|interdite?|exactitudes|propriétaire|titre|urheberrecht\S*|ausdrücklich|datenbank\S*|abfrage|recht|verwendung|interzis[aă]?|folosire\S*|scop(?:uri)?)\b/i;
const ANCHOR_EACH = new RegExp(ANCHORS.source, 'gi');

/** Statements about the present, or about a copy: no term of use speaks so. */
const FARES_NOW =
  /\b(?:remaining|cached|caching|mirror(?:ed|s)?|replicas?|stale|snapshot|offline|outages?|degraded|read-only|simulat(?:ed|ion)|sandbox|testing|demo|dummy|placeholder|currently|temporar(?:y|ily)|right now|at the moment|today|overloaded|busy|unavailable|unreachable|fall-?back|fail-?over|spare|time-?outs?|timed out|wrong zone|deprecated|retired|so far)\b/i;
/** Words of how a service or this answer fares: outside of terms such a sentence is no notice. */
const FARES =
  /\b(?:quotas?|throttl(?:e|ed|ing)|exceeded|caches?|test|sample|due to|because|instead|overload|fail(?:ed|ure|s|ing)|upstream|retry|again|denied|refus(?:ed|al)|blocked|black-?list(?:ed)?|suspended|disabled|not (?:been )?(?:checked|searched|consulted|queried|authoritative)|unknown|error|other registry|redirect(?:ed)?|refer(?:red|ral)|discontinued|moved|has been|have been|was|were|your (?:query|request|ip|address|session|client|access|connection|network|account|key)|this (?:answer|reply|response|result|lookup))\b/i;
/**
 * Which registrations a service shows, to whom and in which words: if an answer says that, an absence may be a refusal.
 */
const SHOWS =
  /\b(?:shown(?! in\b)|shows|displayed|appears?|listed(?! (?:above|as)\b)|published here|invisible|hidden|withheld|omit(?:s|ted)|(?<!not )limited to|holds|restor\w+|prints|(?:as|words|text|answer) above|(?:following|these|same) (?:text|lines?|words?|answers?)|must be (?:asked|requested)|tonight|tomorrow|yesterday|anonymous|look for|unpaid|natural persons?|as if|(?:does|did) not exist|registrations? (?:made|before|after|since)|older|newer)\b/i;
/** What a service lacks or leaves to others, and that it is none. */
const LACKS =
  /\b(?:left out|leaves? out|looks? like|(?<!and )elsewhere|opt(?:ed|s)? in|until then|since then|no access to|comes? from|answered as|made up|fiction\w*|new registry|volunteers|a selection of|(?:does|do) not carry|(?:not|never) (?:be )?included|known to this)\b/i;
/** Which data a service gives to nobody, or not to everybody, in words of terms of use. */
const GIVES_NOT = new RegExp(
  [
    String.raw`\bmay not (?:be )?(?:say|said|tell|told|named?|show|shown)\b|\bthere (?:is|are|was)\b|\bregistered as\b`,
    String.raw`\b(?:no|none of(?: the)?|without) (?:records?|answers?)\b|\bno information\b|\b(?:with|as) no match\b`,
    String.raw`\b(?:provides?|gives?|gets?|receives?|contains?) (?:no|none)\b|\bonly names\b|\bunauthori[sz]ed users\b`,
    String.raw`\b(?:is|are) (?:not|never) (?:a )?(?:part of|contained|provided|stored|available in)\b`,
    String.raw`\b(?:provided|registered|administered|answered|offered) (?:by|with|through|at) (?:an)?others?\b`,
    String.raw`\b(?:data|record|name)s? (?:is|are) registered\b|\bprovided by the registrars? only\b`,
    String.raw`\bcop(?:y|ies) of the (?:data|register|registry)|\bcopy was\b|\b(?:for|in) testing\b`,
    String.raw`\bremoves\b|\brestricted to accredited\b|\b(?:hides|conceals|keeps back|suppress(?:es|ed))\b`,
  ].join('|'),
  'i',
);
/** What a sentence is about that says which names a service has, and words of terms of use, without which it does. */
const NAMES = /\b(?:registrations?|registrants?|names|registered)\b/i;
const TERMS_OF_USE =
  /\b(?:us(?:e[sd]?|ing|age)|purposes?|agree(?:s|d|ing)? (?:that|to|not)|warrant(?:s|ed|ies)|accura\w*|liab\w*|prohibited|guarantee[sd]?|permi\w+|unsolicited|responsib\w*|reserves?|forbidden|assist|high volume|nuisance|contact|quer(?:y|ies|ied)|competing|intended|may look up|persons to|types of|authoritative|provided (?:by|for free|free of)|illegal|abuse|delays?|availab\w+|downloads?|compil\w+|sanctions?|breach\w*|expir\w+|consult|never discloses|registered office)\b/i;
/** A line that says that something is missing here. */
const ELLIPSIS = /^\W*(?:\.{3}|…)\W*$|-- ?more ?--/i;
/** A term speaks of cases and of what is forbidden, in words of the above as well. */
const SPEAKS_OF_CASES =
  /\b(?:if|may|might|shall|should|will|would|must|agree[sd]?|reserves?|without|unless|prohibited|forbidden|guarantee|responsible|liable|lawful|rights?|terms|copyright|consent)\b/i;

/** Sentences of what happens to whoever asks too much, and of names in general. */
const RULES: readonly RegExp[] = [
  /^(?:excessive |further |any )?(?:access|quer(?:y|ies)|requests)\b.* (?:may|will) be (?:blocked|limited|refused|restricted|withdrawn)\b/i,
  /^should\b.*\b(?:will|may) be\b/i,
  /^please try again later in that case\W*$/i,
  /^(?:an?|any|some|in some|such)\b.*\b(?:names?|domains?)\b.*\b(?:may|might)\b/i,
];

const SHORT_WORDS_MAX = 14;
const PROPER_NAMES_MAX = 8;
const LONG_ANCHORS_MIN = 2;
/** A share of a long text that may be words unknown to terms of use: names, and what a registry adds to its own. */
const UNKNOWN_SHARE_MAX = 0.2;

/** Short sentences with a negation that state a term. */
const NEGATION = /\b(?:not|no|never|none|nor|cannot|without|only)\b/i;
const NEGATIVE_TERM =
  /\b(?:not (?:\w+ ){0,2}(?:guaranteed?|to use|be used|remove|use|liable|responsible|permitted|allowed|considered|disclosed)|cannot guarantee|no guarantees?|any guarantee|no (?:warranty|part of)|intended only|only (?:for query|in \w+|direct|be used|\w+ characters)|never (?:do any|discloses)|agree not to|registered names only|purposes? only|(?:contains?) (?:only|data)|in japanese|see)\b|without (?:prior|notice|written|permission|the)/i;
/** Subjects that reserve, guarantee and own: the first word of such a sentence may be a name. */
const OWNER =
  /\b(?:guarantee|reserves?|makes this|helpdesk|authoritative|copyright|offers?|provides?|provided|maintained|whoisd?|servers?|terms|information|rights|www|https?)\b|[@©]|\(c\)/i;
/** Where pages and servers are named. */
const POINTER =
  /©|\b(?:at|by|see|visit|go to|on|site|website|url|copyright|for more|behalf|welcome|detail|under|of)\b| - /i;
const PAGE = /https?:|www\.|@/i;
/** Another server to ask. */
const REFERRAL = /\b(?:use|query|ask|try|see|visit|go to|contact|refer|at)\b.*\bwhois\w*\.\p{L}/iu;
const BANNER = /\b(?:welcome|this is|hello)\b/i;
/** A field of a record: what it says is no notice, unless its key is one of notices. */
const FIELD = /^[\p{L}_-]+(?: [\p{L}_-]+){0,2} ?: /u;
const NOTICE_KEYS =
  /^(?:note|notice|nota|version|details?|see|more information|terms(?: of use)?|disclaimer|copyright|last updated?|status codes|important|status codes|whoisd? server version|url\b.*|available at|full text.*|swhoisd.*|go to|further information) ?:/i;
/** Dates, times, versions and numbers, and what stands among them. */
const STAMP =
  /^(?:[^\p{L}]+|v?\d[\d.:TZ+-]*[a-z]?|\d+-?\p{L}{3}-?\d+|utc|gmt|brs?t|msk(?:\/msd)?|[ap]m)$/iu;
const ONLY_MARKS = /^[\s.\-_=*~#+|>:<]*$/;
/** Statements about rights whose words are also used of names that are kept back. */
const RIGHTS =
  /\b(?:all )?rights reserved\b|\b(?:rights|restricted)(?: to the data above are)? (?:restricted|rights)(?: by copyright)?\b/gi;
const ONE_WORD = /^(?:disclaimer|notice|copyright|terms)\W*$/i;

/**
 * True for a sentence that stands in answers of registries beside whatever they say of a name: terms of use, a
 * banner, a pointer, a copyright, a time stamp. A short one holds only words of such sentences and names of somebody;
 * none of them says how the service or this answer fares.
 */
export function isNotice(text: string): boolean {
  const sentence = text.replace(RIGHTS, 'copyright rights').replaceAll(/\(c\)/gi, '© ');
  if (ELLIPSIS.test(sentence)) return false;
  if (ONLY_MARKS.test(sentence) || ONE_WORD.test(sentence)) return true;
  const words = sentence.split(' ').filter((word) => /[\p{L}\d]/u.test(word));
  if (words.every((word) => STAMP.test(word.replace(/^\W+|\W+$/g, '')))) {
    return /\d{4}/.test(sentence);
  }
  const plain = sentence.replace(/(?<!\S)\S*\.\p{L}\S*/gu, ' ');
  if (FARES_NOW.test(plain)) return false;
  if (RULES.some((it) => it.test(sentence))) return true;
  if (isKeptBack(sentence, words)) return false;
  if (FARES.test(plain) && !SPEAKS_OF_CASES.test(sentence)) return false;
  if (words.length > SHORT_WORDS_MAX) return isLongNotice(sentence);
  return (
    words.every((word) => /^\W*(?:https?:|www\.)|@/i.test(word)) || isShortNotice(sentence, words)
  );
}

/** A short statement of a name that is kept back; longer ones speak of data and their use in the same words. */
function isKeptBack(sentence: string, words: readonly string[]): boolean {
  return words.length < SHORT_WORDS_MAX / 2 && restrictionIn(sentence.toLowerCase()) !== undefined;
}

function isShortNotice(sentence: string, words: readonly string[]): boolean {
  const plain = sentence.replace(/(?<!\S)\S*\.\S+/g, ' ');
  // A name such as another.legal speaks of no law.
  if (words.length < 2 || !(ANCHORS.test(plain) || PAGE.test(sentence))) return false;
  if (FIELD.test(sentence) && !NOTICE_KEYS.test(sentence)) return false;
  if (NEGATION.test(sentence) && !NEGATIVE_TERM.test(sentence)) return false;
  if (REFERRAL.test(sentence) && !BANNER.test(sentence) && !PAGE.test(sentence)) return false;
  const isOwned = OWNER.test(plain);
  let names = 0;
  for (const [at, word] of words.entries()) {
    const bare = word.replace(/^[^\p{L}\d.]+|[^\p{L}\d]+$/gu, '');
    if (NOTICE_WORDS.has(bare.toLowerCase()) || STAMP.test(bare) || isSuffix(bare)) continue;
    if (isHostName(bare) || PAGE.test(word)) {
      if (PAGE.test(sentence) || POINTER.test(plain) || (at === 0 && isOwned)) continue;
      return false;
    }
    if (!isProper(bare) || (at === 0 && !isOwned)) return false;
    names += 1;
  }
  return names <= PROPER_NAMES_MAX;
}

/** `.test`, of which a registry speaks as it does of its own name, and `s.r.o.` behind one. */
function isSuffix(word: string): boolean {
  return (
    /^(?:\p{L}\.)+\p{L}?$/u.test(word) ||
    (word[0] === '.' && isHostName(`any${word.toLowerCase()}`))
  );
}

function isProper(word: string): boolean {
  return !word.includes('=') && /\p{Lu}/u.test(word);
}

function isLongNotice(sentence: string): boolean {
  if (SHOWS.test(sentence) || LACKS.test(sentence)) return false;
  if (NAMES.test(sentence) && !TERMS_OF_USE.test(sentence)) return false;
  if (!isInWordsOfTerms(sentence) || givesNot(sentence) || isFollowed(sentence)) return false;
  return new Set(sentence.toLowerCase().match(ANCHOR_EACH)).size >= LONG_ANCHORS_MIN;
}

/** Whether something else than a term stands behind its last full stop, where no new sentence seems to begin. */
function isFollowed(sentence: string): boolean {
  const [, ...behind] = sentence.split(/(?<=\S)[.!]\s+(?=[^\p{Lu}("'©])/u);
  const last = behind.at(-1) ?? '';
  const others = last.split(' ').filter((word) => !/^\p{Lu}/u.test(word));
  return others.length < SHORT_WORDS_MAX / 2 && !hasOnlyWordsOfTerms(others.join(' '));
}

/** As `isInWordsOfTerms`, of each word. */
export function hasOnlyWordsOfTerms(text: string): boolean {
  return text.split(/\s+/).every((word) => !/\p{L}/u.test(word) || isWordOfTerms(word));
}

/** Whether a text says which data a service does not give: a statement of absence may then be no more than that. */
export const givesNot = (text: string): boolean => GIVES_NOT.test(text);

/** Whether nearly each word of a text is one of terms of use; a few may be names of somebody, by their capitals. */
export function isInWordsOfTerms(text: string): boolean {
  const words = text.split(/[\s/'’?\uFFFD]+/).filter((word) => /\p{L}{2}/u.test(word));
  const unknown = words.slice(1).filter((word) => !isWordOfTerms(word));
  const names = unknown.filter(isProper);
  const others = unknown.length - names.length;
  return others <= words.length * UNKNOWN_SHARE_MAX && names.length <= PROPER_NAMES_MAX;
}

function isWordOfTerms(word: string): boolean {
  const bare = word.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  const plain = bare.toLowerCase();
  return NOTICE_WORDS.has(plain) || TERMS_WORDS.has(plain) || /[.@:\d]/.test(bare);
}
