/**
 * How an owner streams an answer of one JSON object a line to the gateway: each line begins with a mark that
 * says whether it is charged, and the last one says that nothing is missing. The gateway takes the marks off
 * and puts the cost into the last line.
 */
export const LINE_MARKS = { charged: '+', free: '-', last: '=' } as const;
export type LineMark = keyof typeof LINE_MARKS;

/** One line with its mark and its end. @param json one object, without line breaks. */
export function streamedLine(mark: LineMark, json: string): string {
  return `${LINE_MARKS[mark]}${json}\n`;
}
