import { plainText } from '../whois/parse/outcome/announcements.js';
import { isLimitNotice } from '../whois/parse/outcome/limit-notices.js';
import { saysThrottled } from '../whois/parse/outcome/classifier.js';
import { linesIn, listIn, objectsIn } from './json-reading.js';
import type { JsonObject } from './rdap-client.js';
import { restrictionOfAbsence } from './restriction.js';
import { askedNames, saysAbsent } from './wording/said-absence.js';

/** The meaning of a 404: its body says that the name is not there, or says something else. */
export type NotFoundMeaning = 'absent' | 'kept_back' | 'throttled' | 'outage' | 'unclear';

const LINES_MAX = 60;
const DEPTH_MAX = 3;

/** Members that say nothing of the question: they identify the answer or stand in every answer. */
const SILENT_MEMBERS: ReadonlySet<string> = new Set([
  'errorCode',
  'href',
  'id',
  'instance',
  'lang',
  'links',
  'notices',
  'path',
  'port43',
  'rdapConformance',
  'requestId',
  'status',
  'statusCode',
  'timestamp',
  'traceId',
  'type',
  'version',
]);

const OUTAGES =
  /\b(maintenance|unavailable|unreachable|out of service|outage|offline|overload(ed)?|internal (server )?error|bad gateway|gateway|upstream|backend|timed?[ -]?out|not responding|(data ?base|connection|service) (error|failure|failed|down|closed|lost|refused|reset))\b/;
const THROTTLES =
  /\b(rate[- ]?limit\w*|quota|throttl\w+|too many|too (fast|frequent|often)|slow down|exceed\w*|(access|permission|request|query) (is |was |has been )?(denied|refused|blocked|forbidden|rejected|restricted|suspended)|forbidden|unauthori[sz]ed|not (authori[sz]ed|allowed|permitted) to|black-?list\w*|block-?list\w*|banned|captcha|abuse detected|log ?in required|authentication|api key)\b/;
/** Whom to ask or what to read, and of the line itself nothing. */
const POINTERS =
  /^(see|for (more|further|additional) (information|details|help)|more information|request id|trace id)\b/;
const WRONG_SERVICE = /\b(authoritative|tld|tlds|bootstrap|another|other|different)\b/;
/** Titles of the status code itself (RFC 9110 §15.5.5), as RDAP servers print them. */
const CODE_TITLES =
  /^(?:(?:http|rdap|status|code|error) ?){0,3}(?:404)?[\s:.–-]{0,3}(?:not found|error)?[.!]?$/;

/** Refusals in a notice; its small print speaks of other cases in other words. */
const NOTICED_REFUSALS =
  /\bnot authoritative\b|\bnot (served|handled|managed|supported) (by|here|on)\b|\bunsupported\b|\bno rdap (service|server)\b/;
/** Where or why something was not found, in a notice: of another copy, account or state, it says nothing of the name. */
const NOTICED_DOUBTS =
  /\b(?:sign(?:ed)? in|log(?:ged)? ?in|caches?|sandbox|simulated|test (?:environment|system)|replicas?|replication|shards?|pending|redemption|withheld|not (?:disclosed|released|public|shown|allowed|permitted|yet|configured|sponsored|managed|under management)|(?:domain|name|object|data) (?:was )?found|registered at|variants?|portfolio|suspended|auction|does not exist in|in (?:the )?dns|(?:tenant|customer|account|zone|service|host|page|file|application|handler|bucket|key|site|website|network|autnum|registrant|contact|resource)s? (?:\S+ )?(?:was )?not found)\b/;
const NOTICE_LENGTH_MAX = 120;

/**
 * What the body of a "not found" (RFC 9083 §6) says. Only a statement about the object asked for counts as absence:
 * each text of the body must be one, the bare title of the status, or a pointer to more.
 *
 * @param asked a domain name in A-labels; empty for an object of another kind, of which only refusals are looked for.
 */
export function meaningOfNotFound(json: JsonObject, asked: string): NotFoundMeaning {
  const lines = textsIn(json).map((line) => plainText(line).trim());
  const around = noticesIn(json);
  if ([...lines, ...around].some(saysThrottled)) return 'throttled';
  if (lines.some((line) => THROTTLES.test(line))) return 'throttled';
  if (restrictionOfAbsence(json, asked) !== undefined) return 'kept_back';
  if ([...lines, ...around].some((line) => OUTAGES.test(line))) return 'outage';
  if (around.some((line) => isLimitNotice({ text: line, isProse: false, line: 0 }))) {
    return 'throttled';
  }
  const names = askedNames(asked);
  if (around.some((line) => isDoubt(line, names)) || isObject(json)) return 'unclear';
  if (asked === '') return lines.some((line) => WRONG_SERVICE.test(line)) ? 'unclear' : 'absent';
  const said = lines.map((line) => plainly(line, 'rdapConformance' in json));
  const isSaid = said.every((line) => isSilent(line) || isAbout(line, names));
  return isSaid || isAbout(said.filter((line) => !isSilent(line)).join(' '), names)
    ? 'absent'
    : 'unclear';
}

/** A refusal, or an absence of something else. */
function isDoubt(line: string, names: ReadonlySet<string>): boolean {
  if (NOTICED_REFUSALS.test(line) || NOTICED_DOUBTS.test(line)) return true;
  return /\bnot found\b/.test(line) && !isAbout(line, names);
}

/** An object with a name of its own contradicts the status. */
function isObject(json: JsonObject): boolean {
  return ['objectClassName', 'ldhName', 'handle', 'events'].some((member) => member in json);
}

/** Every text of the body, whatever the member is called. */
function textsIn(json: JsonObject, depth = 0): string[] {
  const texts = Object.entries(json).flatMap(([member, value]): string[] => {
    if (SILENT_MEMBERS.has(member)) return [];
    if (typeof value === 'string') return linesIn(value);
    const parts = Array.isArray(value) ? listIn(value) : [value];
    return parts.flatMap((part): string[] => {
      if (typeof part === 'string') return linesIn(part);
      const isDeeper = typeof part === 'object' && part !== null && depth < DEPTH_MAX;
      return isDeeper ? textsIn(part as JsonObject, depth + 1) : [];
    });
  });
  return texts.slice(0, LINES_MAX);
}

function noticesIn(json: JsonObject): string[] {
  return objectsIn(json['notices'])
    .flatMap(({ title, description }) => [...linesIn(title), ...linesIn(description)])
    .filter((line) => line.length <= NOTICE_LENGTH_MAX)
    .map((line) => plainText(line).trim())
    .filter((line) => !/\b(may|if|might|will|should|terms)\b/.test(line))
    .slice(0, LINES_MAX);
}

/** The turns of phrase of RDAP servers in the words of port 43. */
function plainly(line: string, isRdap: boolean): string {
  const object = isRdap ? line.replace(/\bresource\b/g, 'object') : line;
  return object
    .replace(/^(?:(?:rdap|http|error|status|code|404)[\s:.–-]+)+(?=\S)/, '')
    .replace(/\byou are seeking( as)?\b/, 'requested')
    .replace(/ (?:is\/are|is|are) not here\b/, ' not found')
    .replace(/^(?:the |this )?server has no (information|data|records?|entry)\b/, 'no $1 found');
}

function isSilent(line: string): boolean {
  if (CODE_TITLES.test(line)) return true;
  return POINTERS.test(line) && /https?:|@/.test(line) && !WRONG_SERVICE.test(line);
}

/** A statement of absence, or the name alone, as where it stands behind `Domain not found:`. */
function isAbout(line: string, asked: ReadonlySet<string>): boolean {
  if (line.endsWith('?')) return false;
  return asked.has(line.replace(/^["'.]+|["'.]+$/g, '')) || saysAbsent(line, asked);
}
