import { isHostName } from '../../fields/host-names.js';
import { sisterOf } from '../../grammars/sister-tlds.js';
import { commentBody, type Line } from '../../reading/lines.js';
import { FORMS_ELSEWHERE } from './absence-elsewhere.js';
import {
  type AbsenceForms,
  FORMS_WITH_NAME,
  FORMS_WITHOUT_NAME,
  GENERIC_REGISTRIES,
  KNOWN_NOTICES,
} from './absence-forms.js';
import { domainToUnicode } from 'node:url';
import { FORMS_IN_EUROPE } from './absence-in-europe.js';
import { plainText } from '../announcements.js';
import { isNotice, sentencesOf } from './notices.js';

/** A question: who was asked, and for what. */
export interface AbsenceQuestion {
  /** A-label; when empty, any host name stands for the name. */
  domain: string;
  server: string;
  tld: string;
  role: 'registry' | 'registrar';
}

/** One line of a form: folded text, or exact text if the form does not contain the name. */
interface FormLine {
  text: string;
  isExact: boolean;
  /** Holds a label or a word that varies. */
  varies: boolean;
}
type Form = readonly FormLine[];

interface ReadyForms {
  forms: readonly Form[];
  /** They count only beside an echo of the name or a notice of the registry. */
  framed: readonly Form[];
  beside: readonly FormLine[];
}

/** A line of an answer as it is printed and folded. */
interface Said {
  exact: string;
  folded: string;
  /**
   * In brackets, or behind the mark of a list or of a reply: one of several things, and not a statement of the server
   * about the name.
   */
  isItem: boolean;
}

const NAME = '\u0001';
/** In a form: who it names, and a word that varies; several stars are themselves. */
const VARIES = /NAME|LABEL|(?<!\*)\*(?!\*)/;
const QUOTED = /^\[?["'“”„«‘`](?!\S+["'”»’] )/;
const ITEM = /^[%#;\s]*(?:[*>]|\(.*\)$|\[.*\]$)/;
const LINE_LENGTH_MAX = 240;
/** The longest notice known around an absence has a third of this. */
const LINES_MAX = 300;
/** Keys and words with which servers repeat what they were asked, folded. */
const ECHOES: ReadonlySet<string> = new Set(
  [
    '',
    'domain',
    'domain name:',
    'domain:',
    'object:',
    'query:',
    'whois',
    'searching for',
    'information related to',
    'domain_name:',
  ].map((key) => `${key} ${NAME}`.trim()),
);

/**
 * Where an answer says that nobody holds the name: the index of a line in a form that this server is known to use,
 * about this name. `undefined` if there is none, or if anything else in the answer is neither part of that form nor an
 * ordinary notice: an answer that is not understood completely is no evidence.
 */
export function absenceIn(lines: readonly Line[], question: AbsenceQuestion): number | undefined {
  const { forms, framed, beside } = formsOf(question);
  if (lines.length > LINES_MAX) return undefined;
  const names = namesOf(question.domain);
  const label = question.domain.slice(0, Math.max(question.domain.indexOf('.'), 0));
  const said = lines.map((line) => (line.blank ? undefined : saidOn(line, names)));
  const at = new Map<string, number>();
  for (const [index, it] of said.entries()) {
    if (it === undefined) continue;
    at.set(`=${it.exact}`, index);
    if (!it.isItem) at.set(it.folded, at.get(it.folded) ?? index);
  }
  const isSaid = (wanted: FormLine) =>
    at.get(wanted.isExact ? `=${wanted.text}` : wanted.text) ??
    (wanted.varies ? said.findIndex((it) => it && !it.isItem && isLine(wanted, it, label)) : -1);
  const isWhole = (form: Form) => form.every((line) => isSaid(line) >= 0);
  const found = forms.find(isWhole);
  const form = found ?? framed.find(isWhole);
  if (form === undefined) return undefined;
  const known = [...(found === undefined ? framed : forms).flat(), ...beside];
  const isEcho = said.map((it) => it !== undefined && ECHOES.has(it.folded));
  const isLineKnown = said.map(
    (text) => text !== undefined && known.some((it) => isLine(it, text, label)),
  );
  const notices = sentencesOf(
    lines.map((line, at) => (isLineKnown[at] || isEcho[at] ? undefined : line)),
  );
  if (isIntroduced(lines, isSaid(form[0]), (at) => isEcho[at] || isLineKnown[at])) return undefined;
  const isBeside = (sentence: string) => {
    const text = folded(sentence.slice(0, LINE_LENGTH_MAX), names);
    return [...beside, ...KNOWN].some(
      (it) => it.text.endsWith('…') && text.startsWith(it.text.slice(0, -1)),
    );
  };
  const isUnderIt = (sentence: string) =>
    names.some((it) => sentence.toLowerCase().includes(`.${it}`));
  if (!notices.every((it) => (isNotice(it) || isBeside(it)) && !isUnderIt(it))) return undefined;
  const isFramed = found !== undefined || notices.length > 0 || isEcho.includes(true);
  return isFramed ? isSaid(form[0]) : undefined;
}

/** A line that announces others makes a quotation of what follows. */
function isIntroduced(
  lines: readonly Line[],
  at: number,
  isOfAnswer: (at: number) => boolean,
): boolean {
  let before = at - 1;
  while (before >= 0 && lines[before].blank) before -= 1;
  return before >= 0 && !isOfAnswer(before) && /[:：]$/.test(lines[before].body);
}

function isLine({ text, isExact, varies }: FormLine, said: Said, label: string): boolean {
  if (isExact) return said.exact === text;
  if (text === said.folded || !varies) return text === said.folded;
  const labelAt = text.indexOf('LABEL');
  if (labelAt >= 0) {
    const [before, behind] = [text.slice(0, labelAt), text.slice(labelAt + 'LABEL'.length)];
    if (label !== '') return said.folded === before + label + behind;
    return said.folded.startsWith(before) && said.folded.endsWith(behind);
  }
  const [wanted, words] = [text.split(' '), said.folded.split(' ')];
  return (
    wanted.length === words.length &&
    wanted.every((word, index) => word === '*' || word === words[index])
  );
}

function saidOn(line: Line, names: readonly string[]): Said {
  const body = (line.comment ? commentBody(line) : line.body).slice(0, LINE_LENGTH_MAX);
  const text = body.replace(/\s+/g, ' ').replace(/ <<<$/, '');
  // A quotation says what somebody else says.
  const plain = QUOTED.test(text) ? text : folded(text, names);
  const isItem = ITEM.test(line.body) && !(line.body.startsWith('>') && plain.includes(NAME));
  return { exact: isItem ? line.body.slice(0, LINE_LENGTH_MAX) : text, folded: plain, isItem };
}

/** The spellings of a name under which a server may speak of it; none when it is not known. */
function namesOf(domain: string): string[] {
  return domain === '' ? [] : [domain, domainToUnicode(domain).toLowerCase() || domain];
}

/** Lower case, names marked, without quotation marks, brackets, commas and the mark at the end. */
function folded(text: string, names: readonly string[]): string {
  const words = plainText(text.replace(/(?:\. ?){3,}/g, '.. '))
    .replace(/["“”„«»[\](),'’]/g, ' ')
    .replace(/\.\. /g, ' ')
    .split(' ');
  return words
    .filter((word) => word !== '')
    .map((word) => nameOr(word, names))
    .join(' ')
    .replace(/[\s.!;:]+$/, '');
}

function nameOr(word: string, names: readonly string[]): string {
  const bare = word.replace(/[.:;!]+$/, '');
  const isName = names.length === 0 ? isHostName(bare) : names.includes(bare);
  return isName ? NAME + word.slice(bare.length).replace(/[^:]/g, '') : word;
}

const READY = new Map<string, ReadyForms>();
for (const [of, declared] of [...FORMS_IN_EUROPE, ...FORMS_ELSEWHERE]) {
  for (const key of of.split(' ')) READY.set(key, ready(declared));
}
const KNOWN = KNOWN_NOTICES.map((it) => toBeside(`${it}…`));
const GENERIC = ready(GENERIC_REGISTRIES);
const UNKNOWN = ready({ forms: FORMS_WITH_NAME }, FORMS_WITHOUT_NAME);

/** The forms declared for the server, else for its TLD or the one above it. */
function formsOf({ server, tld, role }: AbsenceQuestion): ReadyForms {
  const byServer = READY.get(server.toLowerCase());
  if (byServer !== undefined) return byServer;
  if (role === 'registrar') return UNKNOWN;
  let suffix = tld.toLowerCase().slice(0, 253);
  for (;;) {
    const declared = READY.get(suffix) ?? READY.get(sisterOf(suffix) ?? '');
    if (declared !== undefined) return declared;
    const dot = suffix.indexOf('.');
    if (dot < 0) return suffix.length === 2 ? UNKNOWN : GENERIC;
    suffix = suffix.slice(dot + 1);
  }
}

function ready({ forms, beside = [] }: AbsenceForms, framed: readonly string[] = []): ReadyForms {
  return { forms: forms.map(toForm), framed: framed.map(toForm), beside: beside.map(toBeside) };
}

function toForm(form: string): Form {
  const isExact = !VARIES.test(form);
  const lines = isExact ? [form] : form.split(' / ');
  return lines.map((line) => (isExact ? { text: line, isExact, varies: false } : toBeside(line)));
}

function toBeside(line: string): FormLine {
  const marked = line.replaceAll('NAME', 'name.example').replaceAll('LABEL', '\u0002');
  const text = folded(marked, ['name.example']).replaceAll('\u0002', 'LABEL');
  return { text, isExact: false, varies: VARIES.test(text) };
}
