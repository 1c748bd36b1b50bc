/**
 * The format in which an owner streams an answer of one JSON object per line to the gateway: each line begins with a
 * mark that says whether it is charged, and the last line confirms that nothing is missing. The gateway removes the
 * marks and writes the cost into the last line.
 */
export const LINE_MARKS = { charged: '+', free: '-', last: '=' } as const;
export type LineMark = keyof typeof LINE_MARKS;

/** Returns one line with its mark and its line ending. @param json one object, without line breaks. */
export function streamedLine(mark: LineMark, json: string): string {
  return `${LINE_MARKS[mark]}${json}\n`;
}
