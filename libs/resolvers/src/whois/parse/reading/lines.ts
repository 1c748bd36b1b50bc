import type { WorkMeter } from './work-meter.js';

export interface Line {
  /** The text without surrounding white space. */
  body: string;
  /** The width of the white space before the body; a tab counts as eight columns. */
  indent: number;
  /** Whether the line begins with the comment mark of a WHOIS server (`%`, `#`, `;`), or belongs to a framed notice. */
  comment: boolean;
  /** Whether the line is empty, or consists only of comment marks or of three or more marks. */
  blank: boolean;
}

/** Maximum number of lines that are read: ten times the longest known answer. */
export const LINES_MAX = 4096;

export function splitLines(text: string, meter: WorkMeter): Line[] {
  meter.count(text.length);
  return text.split('\n', LINES_MAX).map(toLine);
}

/** Returns the body of a comment line without its marks: `%% No match` means the same as `No match`. */
export function commentBody(line: Line): string {
  let start = 0;
  while (start < line.body.length && '%#;*-> '.includes(line.body[start])) start += 1;
  return line.body.slice(start);
}

const BLANK: Line = { body: '', indent: 0, comment: false, blank: true };

function toLine(raw: string): Line {
  let indent = 0;
  for (let at = 0; at < raw.length; at += 1) {
    if (raw[at] === ' ') indent += 1;
    else if (raw[at] === '\t') indent += 8;
    else break;
  }
  const body = raw.trim();
  if (body === '') return BLANK;
  const comment = isComment(body);
  return { body, indent, comment, blank: (comment || body.length > 2) && isOnlyMarks(body) };
}

function isComment(body: string): boolean {
  if (body.startsWith('%') || body.startsWith('#') || body.startsWith(';')) return true;
  if (body.startsWith('>>>') || body.startsWith('***') || body.startsWith('* ')) return true;
  return body.startsWith('[ ') && body.endsWith(']');
}

function isOnlyMarks(body: string): boolean {
  for (const character of body) if (!'%#;*-=>_'.includes(character)) return false;
  return true;
}
