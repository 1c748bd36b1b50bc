/**
 * The text with LF as its only line end. A bare CR ends a line only where nothing else does: inside of a
 * line it is somebody's way to write a second one into a value he chose.
 */
export function withLineFeeds(text: string): string {
  const ended = text.replace(/\r+\n/g, '\n');
  return ended.replaceAll('\r', ended.includes('\n') ? ' ' : '\n');
}
