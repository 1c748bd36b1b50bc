import { withLineFeeds } from '../../line-ends.js';
import type { WorkMeter } from './work-meter.js';

/** The maximum number of characters of an answer; the client limits the bytes before that. */
const ANSWER_LENGTH_MAX = 256 * 1024;

/**
 * Makes an answer safe to read line by line: well-formed UTF-16, `\n` line endings, plain spaces and tabs, no other
 * control characters, and no bidirectional overrides, which would let a registrant's name rearrange its line. A `<br>`
 * or a line ending of another script becomes a space: a value may contain one, and the text after it is neither a line
 * of its own nor part of the word before it.
 */
export function cleanText(text: string, meter: WorkMeter): string {
  const source = withLineFeeds(text.slice(0, ANSWER_LENGTH_MAX).toWellFormed());
  meter.count(source.length);
  return (
    source
      .replace(/<br ?\/?>/gi, ' ')
      .replace(/[\v\f\u0085\u00a0\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/g, ' ')
      // oxlint-disable-next-line no-control-regex -- control characters are what is removed
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufeff]/g, '')
      .replace(/[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069]/g, '')
  );
}
