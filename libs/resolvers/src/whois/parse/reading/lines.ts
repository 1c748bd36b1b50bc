import type { WorkMeter } from './work-meter.js';

/** One line of a cleaned answer. */
export interface Line {
  /** Without the white space around it. */
  body: string;
  /** Columns of white space before the body; a tab counts eight. */
  indent: number;
  /** Begins with the comment mark of a WHOIS server (`%`, `#`, `;`) or is a framed notice. */
  comment: boolean;
  blank: boolean;
}

export function splitLines(text: string, meter: WorkMeter): Line[] {
  meter.count(text.length);
  return text.split('\n').map(toLine);
}

/** The body of a comment line without its marks: `%% No match` says the same as `No match`. */
export function commentBody(line: Line): string {
  let start = 0;
  while (start < line.body.length && '%#;*-> '.includes(line.body[start])) start += 1;
  return line.body.slice(start);
}

function toLine(raw: string): Line {
  let indent = 0;
  for (const character of raw) {
    if (character === ' ') indent += 1;
    else if (character === '\t') indent += 8;
    else break;
  }
  const body = raw.trim();
  const comment = isComment(body);
  return { body, indent, comment, blank: body === '' || (comment && isOnlyMarks(body)) };
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
