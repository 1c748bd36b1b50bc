import { isHostName } from '../../fields/host-names.js';
import { sisterOf } from '../../grammars/sister-tlds.js';
import { commentBody, type Line } from '../../reading/lines.js';
import { BARE_STATEMENTS, GENERIC_FORMS, OWN_FORMS, STATEMENTS } from './absence-forms.js';
import { plainText } from '../announcements.js';
import { spellingsOf } from '../asked-name.js';
import { isOfOtherSuffixes, isSmallPrint } from '../../../../small-print/small-print.js';

export interface AbsenceQuestion {
  /** The name in A-labels; if it is empty, any host name is accepted in its place. */
  domain: string;
  server: string;
  tld: string;
  role: 'registry' | 'registrar';
}

/** One line of a form: folded text, or exact text if the form does not contain the name. */
interface FormLine {
  text: string;
  isExact: boolean;
  /** Whether the line contains a label, or a word that varies. */
  varies: boolean;
}
type Form = readonly FormLine[];

/** A line of an answer, as printed and in folded form. */
interface Said {
  exact: string;
  folded: string;
  /**
   * True for a line in brackets, or after the mark of a list or a reply. Such a line is one of several items, not a
   * statement of the server about the name.
   */
  isItem: boolean;
}

const NAME = '\u0001';
/** The placeholders in a form: the name, its label, and a word that varies. Several stars are literal. */
const VARIES = /NAME|LABEL|(?<!\*)\*(?!\*)/;
const QUOTED = /^\[?["'“”„«‘`](?!\S+["'”»’] )/;
const LEFT_OUT = /(?:\. ?\.|…)$/;
const ITEM = /^[%#;\s]*(?:[*>]|\(.*\)$|\[.*\]$)/;
/** Marks before the name in a host, a mailbox or a page; such an address shows that the name has a holder. */
const OF_NAME = ['.', '@', '//'];
const LINE_LENGTH_MAX = 240;
/** A line of at least this length may continue on the next line. */
const LONG_LINE_LENGTH = 40;
/** Maximum number of lines: five times the longest recorded answer about an unregistered name. */
const LINES_MAX = 300;
/** Folded keys and words with which servers repeat the query. */
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
/** Matches AFNIC's folded echo of the query: `[192.0.2.1 REQUEST] >> example.fr`. */
const REQUEST_ECHO = new RegExp(`^\\S+ request >> (?:-v \\S+ )?${NAME}$`);

/**
 * Returns the index of the line that states that this name is not registered, in a form that this server is known to
 * use. @returns undefined if there is none, or if anything else in the answer is neither part of that form nor small
 * print: an answer that is not understood completely proves nothing.
 */
export function absenceIn(lines: readonly Line[], question: AbsenceQuestion): number | undefined {
  const found = formIn(lines, question);
  if (found === undefined) return undefined;
  const { at, isFramed, beside } = found;
  const isOfName = (text: string) =>
    spellingsOf(question.domain).some((it) =>
      OF_NAME.some((mark) => text.toLowerCase().includes(mark + it)),
    );
  const isNotice = (text: readonly string[]) =>
    !text.some(isOfName) &&
    !isOfOtherSuffixes(text.join(' '), question.domain) &&
    (isSmallPrint(text.join(' ')) || text.every(isSmallPrint));
  if (!beside.every(isNotice)) return undefined;
  return isFramed || beside.length > 0 ? at : undefined;
}

/**
 * Finds a known form about the name, in an answer of at most 300 lines.
 * @returns the index of its first line, whether the form is evidence without small print beside it, and the other texts
 * of the answer; undefined if there is none, or if the line before announces it as a quotation.
 */
export function formIn(
  lines: readonly Line[],
  question: AbsenceQuestion,
): { at: number; isFramed: boolean; beside: string[][] } | undefined {
  const forms = [...ownFormsOf(question), ...ANYBODYS];
  if (lines.length > LINES_MAX) return undefined;
  const names = spellingsOf(question.domain);
  const label = question.domain.slice(0, Math.max(question.domain.indexOf('.'), 0));
  const said = lines.map((line) =>
    line.blank || line.body.length > LINE_LENGTH_MAX ? undefined : saidOn(line, names),
  );
  const places = new Map<string, number>();
  for (const [index, it] of said.entries()) {
    if (it === undefined) continue;
    places.set(`=${it.exact}`, index);
    if (!it.isItem) places.set(it.folded, places.get(it.folded) ?? index);
  }
  const placeOf = (wanted: FormLine) =>
    places.get(wanted.isExact ? `=${wanted.text}` : wanted.text) ??
    (wanted.varies ? said.findIndex((it) => it && !it.isItem && isLine(wanted, it, label)) : -1);
  const isWhole = (form: Form) => form.every((line) => placeOf(line) >= 0);
  const found = forms.find(isWhole);
  const form = found ?? BARE.find(isWhole);
  if (form === undefined) return undefined;
  const known = [...forms, ...BARE].flat();
  const transcript = [`[${question.server}]`, `[querying ${question.server}]`];
  const isEcho = said.map((it, index) => {
    if (transcript.includes(lines[index].body.toLowerCase())) return true;
    return it !== undefined && (ECHOES.has(it.folded) || REQUEST_ECHO.test(it.folded));
  });
  const isKnown = said.map(
    (it, index) =>
      isEcho[index] || (it !== undefined && known.some((line) => isLine(line, it, label))),
  );
  const at = placeOf(form[0]);
  if (isIntroduced(lines, at, (index) => isKnown[index])) return undefined;
  const beside = textsOf(lines.map((line, index) => (isKnown[index] ? undefined : line)));
  return { at, isFramed: found !== undefined || isEcho.includes(true), beside };
}

/**
 * Groups the lines of an answer into texts. A text may continue on the next line; `undefined` and blank lines separate
 * texts.
 */
function textsOf(lines: readonly (Line | undefined)[]): string[][] {
  const texts: string[][] = [];
  let open: string[] = [];
  for (const line of lines) {
    const body = line === undefined || line.blank ? '' : bodyOf(line);
    if (body !== '' && isGoingOn(open.at(-1), body)) open.push(body);
    else open = body === '' ? [] : [body];
    if (open.length === 1) texts.push(open);
  }
  return texts;
}

function bodyOf(line: Line): string {
  const body = line.comment ? commentBody(line) : line.body;
  // The pattern can match only at the start of a run; otherwise, a line of 256 KiB would be read again from each of its
  // characters.
  return body.replace(/^[[&|*\s]+|(?<![\]|*\s])[\]|*\s]+$/g, '').replace(/\s+/g, ' ');
}

function isGoingOn(before: string | undefined, body: string): boolean {
  if (before === undefined || /(?<!\b(?:No|Nr))\.$|[!?:]$/.test(before)) return false;
  const isLower = body[0] === body[0].toLowerCase() && body[0] !== body[0].toUpperCase();
  return before.length >= LONG_LINE_LENGTH || isLower;
}

/** True if the previous line announces what follows, which is then a quotation. */
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
  const body = line.comment ? commentBody(line) : line.body;
  const text = body.replace(/\s+/g, ' ').replace(/ <<<$/, '');
  // A quotation repeats the words of another party, and dots at the end mark an omission, so such lines are not folded.
  const plain = QUOTED.test(text) || LEFT_OUT.test(text) ? text : folded(text, names);
  const isItem = ITEM.test(line.body) && !(line.body.startsWith('>') && plain.includes(NAME));
  return { exact: isItem ? line.body : text, folded: plain, isItem };
}

/**
 * Returns the text in lower case, with names marked, and without quotation marks, brackets, commas and final
 * punctuation.
 */
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

const ANYBODYS = STATEMENTS.map(toForm);
const BARE = BARE_STATEMENTS.map(toForm);
const GENERIC = GENERIC_FORMS.map(toForm);
const OWN = new Map(
  OWN_FORMS.flatMap(([of, forms]) => of.split(' ').map((key) => [key, forms.map(toForm)] as const)),
);

/**
 * Returns the forms of the server or, for a registry, of the longest suffix that has any. Otherwise a registrar and the
 * registry of a two-letter suffix have none, and other registries have the generic forms.
 */
function ownFormsOf({ server, tld, role }: AbsenceQuestion): readonly Form[] {
  const byServer = OWN.get(server.toLowerCase());
  if (byServer !== undefined || role === 'registrar') return byServer ?? [];
  let suffix = tld.toLowerCase().slice(0, 253);
  for (;;) {
    const own = OWN.get(suffix) ?? OWN.get(sisterOf(suffix) ?? '');
    if (own !== undefined) return own;
    const dot = suffix.indexOf('.');
    if (dot < 0) return suffix.length === 2 ? [] : GENERIC;
    suffix = suffix.slice(dot + 1);
  }
}

function toForm(form: string): Form {
  const isExact = !VARIES.test(form);
  const lines = isExact ? [form] : form.split(' / ');
  return lines.map((line) => (isExact ? { text: line, isExact, varies: false } : toLine(line)));
}

function toLine(line: string): FormLine {
  const marked = line.replaceAll('NAME', 'name.example').replaceAll('LABEL', '\u0002');
  const text = folded(marked, ['name.example']).replaceAll('\u0002', 'LABEL');
  return { text, isExact: false, varies: VARIES.test(text) };
}
