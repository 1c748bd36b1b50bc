/**
 * The result of reading a line: `nothing` for a blank line, a comment or a header; an item; or `bad` for a line in the
 * wrong format.
 */
export type ReadLine<T> = T | 'nothing' | 'bad';
