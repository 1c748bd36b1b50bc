/** The options of every command that prints an answer: `--json` prints one JSON value on stdout. */
export interface OutputOptions {
  json?: boolean;
}

/** Writes an answer as JSON for a program or line by line for a person. */
export function answer<T>({ json }: OutputOptions, value: T, lines: (value: T) => string[]): void {
  const text = json ? [JSON.stringify(value, null, 2)] : lines(value);
  for (const line of text) process.stdout.write(`${json ? line : withoutControls(line)}\n`);
}

/** Replaces control characters, because a customer's text must not control the terminal. */
const withoutControls = (line: string) => line.replaceAll(/\p{Cc}|\p{Cf}/gu, '�');
