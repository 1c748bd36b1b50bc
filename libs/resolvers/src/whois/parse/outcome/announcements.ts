import { commentBody, type Line } from '../reading/lines.js';
import type { WorkMeter } from '../reading/work-meter.js';

/** A line that may state the result of the exchange, as plain lower-case text. */
export interface Announcement {
  text: string;
  /**
   * Whether the line is in a paragraph of long lines, which is small print about general rules, not about this query.
   */
  isProse: boolean;
  line: number;
}

interface Body {
  text: string;
  line: number;
}

/**
 * The maximum length of an announcement. Announcements are near the top or the end of an answer; the middle is small
 * print.
 */
const LINE_LENGTH_MAX = 240;
const HEAD_LINES = 400;
const TAIL_LINES = 40;
const PROSE_LINES_MIN = 3;
const PROSE_LENGTH_MIN = 50;

/** Returns the lines of an answer that may be announcements, without comment marks. */
export function announcements(lines: readonly Line[], meter: WorkMeter): Announcement[] {
  const said: Announcement[] = [];
  let paragraph: Body[] = [];
  let isComment = false;
  for (const [at, line] of lines.entries()) {
    if (at >= HEAD_LINES && at < lines.length - TAIL_LINES) continue;
    const body = line.blank ? '' : line.comment ? commentBody(line) : line.body;
    meter.count(body.length);
    if (body === '' || line.comment !== isComment) {
      said.push(...ofParagraph(paragraph));
      paragraph = [];
      isComment = line.comment;
    }
    if (body !== '') paragraph.push({ text: body.slice(0, LINE_LENGTH_MAX), line: at });
  }
  said.push(...ofParagraph(paragraph));
  return said;
}

function ofParagraph(paragraph: readonly Body[]): Announcement[] {
  const long = paragraph.filter(({ text }) => text.length >= PROSE_LENGTH_MIN).length;
  const isProse = paragraph.length >= PROSE_LINES_MIN && long * 2 >= paragraph.length;
  return paragraph.map(({ text, line }) => ({ text: plainText(text), isProse, line }));
}

/**
 * Returns the first 240 characters in lower case, with one space between words, so that `Status: FREE`, `Status:FREE`
 * and `status:....free` are the same, and so are `domain_status` and `domain status`.
 */
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
