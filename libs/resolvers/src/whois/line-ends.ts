/**
 * Returns the text with LF as its only line ending. A bare CR does not end a line (RFC 3912 §2 requires CR LF), because
 * it could hide a second line in a value that a registrant chose.
 */
export function withLineFeeds(text: string): string {
  if (!text.includes('\r')) return text;
  return text.split('\n').map(withoutReturns).join('\n');
}

function withoutReturns(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === '\r') end -= 1;
  return line.slice(0, end).replaceAll('\r', ' ');
}
