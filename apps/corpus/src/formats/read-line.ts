/** The result of reading a line: nothing (blank, a comment, a header), an item, or a fault of its format. */
export type ReadLine<T> = T | 'nothing' | 'bad';
