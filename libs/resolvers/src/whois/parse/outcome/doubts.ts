import { domainToASCII } from 'node:url';
import { isHostName } from '../fields/host-names.js';
import type { AskedName } from './absence.js';
import type { Announcement } from './announcements.js';
import { CONDITIONS, CONTRADICTIONS, LIMIT_NOTICES, WEB_PAGES } from './doubt-phrases.js';
import { RULE_WORDS } from './refusals.js';
import { matchesAny } from './phrases.js';

/** Why words of absence are not believed. */
export type Doubt = 'throttled' | 'error';

/** Keys and verbs with which servers repeat what they were asked. */
const ECHO =
  /^(?:\[? ?)?(?:your |the )?(?:query|queried|querying|question|request(?:ed)?|domain(?:[ _-]?name)?|object|name|search(?:ed|ing)?|look(?:ed|ing)?[ -]?up|results?|input|key|asked|dominio|domaine|nom de domaine|nombre|nome|whois)(?: (?:domain|name|string|for|of|object|query|result|results))*[ :=>"'\]-]+([^\s"'<>\],;]+)/;
/** Lines that name hosts of the registry's own. */
const OWN_HOSTS = /:\/\/|@|www\.|\bwhois server\b|\bversion\b|\bpowered\b|\bservers?\b/;
const WORDS_OF_ECHO_MAX = 8;
const LINES_MAX = 200;

const HELP =
  /^(?:usage|syntax|options?|commands?|help|legend|(?:possible|valid|sample|typical) (?:answers?|repl(?:y|ies)|responses?|results?|status(?:es)?|values?|messages?|errors?))\b.{0,60}$/;
const EXAMPLE = /^(?:for )?(?:example|sample)s?(?: [a-z]+)?:/;
const ADDRESS = /(?:^|[\s([<'"])\d{1,3}(?:\.\d{1,3}){3}(?:$|[\s)\]>'",.:;!])/;

/**
 * Whether what stands around a statement of absence takes it back: it is about another name, belongs to a web
 * server's or proxy's own page, comes with a notice of a limit, or is an entry of a help text.
 *
 * @param at which of the announcements is the statement.
 * @param asked when empty, other names are not looked for.
 */
export function doubtAbout(
  said: readonly Announcement[],
  at: number,
  asked: AskedName,
): Doubt | undefined {
  const near = said.slice(0, LINES_MAX);
  if (near.some((it) => isLimitNotice(it))) return 'throttled';
  const open = near.filter((it) => !it.isComment && !it.isProse);
  if (open.some(({ text }) => isWebPage(text) || isHelp(text))) return 'error';
  if (open.some(({ text }) => ADDRESS.test(text) && !isKeyed(text) && !OWN_HOSTS.test(text))) {
    return 'error';
  }
  if (said[at].isListed || isQuoted(near, said[at])) return 'error';
  if (open.some((it) => it !== said[at] && isContradiction(it))) return 'error';
  return asked.size > 0 && isOfOther(near, said[at], asked) ? 'error' : undefined;
}

/** `Consultas excedidas`, `查询过于频繁`, `Слишком много запросов`, in the languages of registries; rules are none. */
function isLimitNotice({ text, isProse }: Announcement): boolean {
  if (isProse || matchesAny(text, RULE_WORDS)) return false;
  return LIMIT_NOTICES.some((it) => it.test(text)) && !isConditional(text);
}

/** `if`, `when` and their like, not as part of a name: `example.si` is no condition. */
function isConditional(text: string): boolean {
  return CONDITIONS.test(text.replace(/\S*\.\S+/g, ' '));
}

/** `Domain example.test is registered.` beside "No match"; what a rule says of some case is none. */
function isContradiction({ text }: Announcement): boolean {
  if (isConditional(text) || matchesAny(text, RULE_WORDS)) return false;
  return CONTRADICTIONS.some((it) => it.test(text));
}

/** Behind a mark of quotation, or in the comment that shows an example. */
function isQuoted(near: readonly Announcement[], { text, isComment }: Announcement): boolean {
  if (/^> \S/.test(text)) return true;
  return isComment && near.some((it) => it.isComment && EXAMPLE.test(it.text));
}

function isWebPage(text: string): boolean {
  return WEB_PAGES.some((it) => it.test(text)) && !text.includes('icann');
}

function isHelp(text: string): boolean {
  return HELP.test(text);
}

function isKeyed(text: string): boolean {
  return /^[a-z][a-z ]{0,30}: /.test(text);
}

/** The statement names another, or names nobody while the answer names another. */
function isOfOther(
  near: readonly Announcement[],
  statement: Announcement,
  asked: AskedName,
): boolean {
  if (mentions(statement.text, asked)) return false;
  if (hostsIn(statement.text).some((host) => !asked.has(host))) return true;
  const echoes = near
    .filter(({ text, isProse }) => !isProse && text.split(' ').length <= WORDS_OF_ECHO_MAX)
    .filter(({ text }) => !OWN_HOSTS.test(text) && !mentions(text, asked))
    .map(({ text }) => trimmed(ECHO.exec(text)?.[1] ?? ''));
  return echoes.some((host) => isHostName(host) && !asked.has(host) && !isSame(host, asked));
}

function mentions(text: string, asked: AskedName): boolean {
  return wordsOf(text).some((word) => asked.has(word) || isSame(word, asked));
}

function hostsIn(text: string): string[] {
  if (OWN_HOSTS.test(text)) return [];
  return wordsOf(text).filter((word) => isHostName(word));
}

function wordsOf(text: string): string[] {
  return text.split(/[\s"'“”„«»()[\]<>{}*|=,;:]+/).map(trimmed);
}

function trimmed(word: string): string {
  return word.replace(/^[.`'-]+|[.:`'!?-]+$/g, '');
}

/** The same name in other letters: `www.` before it, or not in A-labels. */
function isSame(word: string, asked: AskedName): boolean {
  if (!word.includes('.')) return false;
  const bare = word.startsWith('www.') ? word.slice(4) : word;
  return asked.has(bare) || asked.has(domainToASCII(bare));
}
