/** The same answer in another dress: what it says stays what it was. */
export type Shape = (text: string) => string;

const NOTICE = [
  'By asking this service you agree to its terms of use. The data is provided for information purposes',
  'only and is not guaranteed to be accurate. You may not use it for advertising, nor exceed the query',
  'limits; access may be restricted if you do. A name may be reserved although no match was found here.',
];

const eachLine = (change: (line: string) => string) => (text: string) =>
  text.split('\n').map(change).join('\n');

/** For `key: value` at the start of a line, which is no address of a page. */
const eachKey = (change: (key: string, value: string) => string) =>
  eachLine((line) =>
    line.replace(/^([A-Za-z][A-Za-z /-]{0,40}):[ \t]+(\S.*)$/, (_, key: string, value: string) =>
      change(key, value),
    ),
  );

/** Shapes that any answer may have. */
export const SHAPES: Readonly<Record<string, Shape>> = {
  'lines that end in CR LF': (text) => text.replaceAll('\n', '\r\n'),
  'lines that end in spaces': eachLine((line) => `${line}   `),
  'a byte order mark': (text) => `\ufeff${text}`,
  'a margin of three spaces': eachLine((line) => (line === '' ? line : `   ${line}`)),
  'a notice before it': (text) => `${NOTICE.map((line) => `% ${line}`).join('\n')}\n\n${text}`,
  'a plain notice before it': (text) => `${NOTICE.join('\n')}\n\n${text}`,
  'a plain notice behind it': (text) => `${text}\n\n${NOTICE.join('\n')}\n`,
  'a notice in a frame behind it': (text) =>
    `${text}\n\n${['*'.repeat(60), ...NOTICE, '*'.repeat(60)].map((line) => `* ${line}`).join('\n')}\n`,
  'non-breaking spaces': eachKey((key, value) => `${key}:\u00a0${value}`),
};

/** Shapes that an answer of keys and values with colons may have as well. */
export const KEYED_SHAPES: Readonly<Record<string, Shape>> = {
  'a tab before each value': eachKey((key, value) => `${key}:\t${value}`),
  'a tab on both sides of the colon': eachKey((key, value) => `${key}\t:\t${value}`),
  'values in a column': eachKey((key, value) => `${`${key}:`.padEnd(40)}${value}`),
  'colons in a column': eachKey((key, value) => `${key.padEnd(36)}: ${value}`),
  'dots up to the colon': eachKey((key, value) => `${key.padEnd(36, '.')}: ${value}`),
  'dots behind the colon': eachKey((key, value) => `${`${key}:`.padEnd(36, '.')} ${value}`),
  'keys in capitals': eachKey((key, value) => `${key.toUpperCase()}: ${value}`),
  'keys in small letters': eachKey((key, value) => `${key.toLowerCase()}: ${value}`),
  'no space behind the colon': eachKey((key, value) => `${key}:${value}`),
};

/** Shapes of a record: in other answers what stands before a colon may be a sentence. */
export const RECORD_SHAPES: Readonly<Record<string, Shape>> = {
  'keys with underscores': eachKey((key, value) => `${key.replaceAll(' ', '_')}: ${value}`),
  'keys with hyphens': eachKey((key, value) => `${key.replaceAll(' ', '-')}: ${value}`),
};
