import { commentBody, type Line } from '../reading/lines.js';
import type { WorkMeter } from '../reading/work-meter.js';

/** A line that may say how the exchange went, as plain lower-case text. */
export interface Announcement {
  text: string;
  /** In a paragraph of long lines: small print, which speaks of cases, not of this one. */
  isProse: boolean;
  /**
   * A sentence of the lines around it runs through this one, or it is one word of a comment, the rest of
   * which is cut off: its words are not a statement.
   */
  isFragment: boolean;
  isComment: boolean;
  /** Indented below a header, or behind a bullet: an entry of a list, such as a server's help. */
  isListed: boolean;
}

interface Body {
  text: string;
  isListed: boolean;
}

/** An announcement is short and stands near the top or the end; the middle is small print. */
const LINE_LENGTH_MAX = 240;
const HEAD_LINES = 400;
const TAIL_LINES = 40;
const PROSE_LINES_MIN = 3;
const PROSE_LENGTH_MIN = 50;
const BULLET_MAX = 16;
/** Headers below which a name stands, or what was found out about it. */
const NAMING =
  /^(?:(?:the )?(?:domain|name|query|queried|object|error|nom|dominio)\b|(?:status|result|answer):$)/i;

/** The lines of an answer that may announce something, comments without their marks. */
export function announcements(lines: readonly Line[], meter: WorkMeter): Announcement[] {
  const near =
    lines.length <= HEAD_LINES + TAIL_LINES
      ? lines
      : [...lines.slice(0, HEAD_LINES), ...lines.slice(-TAIL_LINES)];
  const said: Announcement[] = [];
  const lists = new Lists();
  let paragraph: Body[] = [];
  let isComment = false;
  for (const line of near) {
    const body = line.blank ? '' : line.comment ? commentBody(line) : line.body;
    const isListed = body !== '' && lists.isEntry(line, body);
    meter.count(body.length);
    if (body === '' || line.comment !== isComment) {
      said.push(...ofParagraph(paragraph, isComment));
      paragraph = [];
      isComment = line.comment;
    }
    if (body !== '') paragraph.push({ text: body.slice(0, LINE_LENGTH_MAX), isListed });
  }
  said.push(...ofParagraph(paragraph, isComment));
  return said;
}

/** Follows headers and what is indented below them, blank lines between them or not. */
class Lists {
  private header: number | undefined;

  isEntry(line: Line, body: string): boolean {
    const indent = line.comment ? line.body.length - body.length : line.indent;
    // A help text is short lines; whole paragraphs are set in as well.
    const isShort = body.length < PROSE_LENGTH_MIN;
    const isBelow = isShort && this.header !== undefined && indent > this.header;
    if (!isBelow) this.header = body.endsWith(':') && !NAMING.test(body) ? indent : undefined;
    return isBelow || /^[%#;\s]*[-•·] *\S/.test(line.body.slice(0, BULLET_MAX));
  }
}

function ofParagraph(paragraph: readonly Body[], isComment: boolean): Announcement[] {
  const long = paragraph.filter(({ text }) => text.length >= PROSE_LENGTH_MIN).length;
  const isProse = paragraph.length >= PROSE_LINES_MIN && long * 2 >= paragraph.length;
  return paragraph.map(({ text: body, isListed }, at) => {
    const [before, after] = [paragraph[at - 1]?.text, paragraph[at + 1]?.text];
    const goesOn = after !== undefined && !isSentenceEnd(body) && startsSmall(after);
    const isGoingOn = before !== undefined && !isSentenceEnd(before) && startsSmall(body);
    const text = plainText(body);
    const isTorn = isComment && !text.trim().includes(' ');
    const isFragment = isTorn || (isProse && (goesOn || isGoingOn));
    return { text, isProse, isFragment, isComment, isListed };
  });
}

function isSentenceEnd(body: string): boolean {
  return '.:!?'.includes(body[body.length - 1]);
}

function startsSmall(body: string): boolean {
  return body[0] !== body[0].toUpperCase();
}

/** Lower case, one space between words: `Status:   FREE`, `Status:FREE` and `status:....free` say the same. */
export function plainText(body: string): string {
  return body
    .slice(0, LINE_LENGTH_MAX)
    .toLowerCase()
    .split(/[ \t]+/)
    .join(' ')
    .replace(' :', ':')
    .replace(/^(domain|registration)[-_](status|state)\b/, '$1 $2')
    .replace(/^([a-z][a-z ]{0,40})\.{0,40}:\.{0,40} ?(?=[^\s\d.:/])/, '$1: ');
}
