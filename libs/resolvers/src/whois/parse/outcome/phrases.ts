/**
 * Whether a line in plain lower case contains a phrase of the tables. `^` anchors the phrase at the start of the line
 * and `$` at the end; `a+b` requires both words.
 */
export function matches(line: string, phrase: string): boolean {
  if (phrase[0] === '^') {
    const rest = phrase.slice(1);
    const plus = rest.indexOf('+');
    if (plus > 0)
      return line.startsWith(rest.slice(0, plus)) && line.includes(rest.slice(plus + 1));
    return rest.endsWith('$') ? line === rest.slice(0, -1) : line.startsWith(rest);
  }
  const plus = phrase.indexOf('+');
  if (plus > 0)
    return line.includes(phrase.slice(0, plus)) && line.includes(phrase.slice(plus + 1));
  if (phrase.endsWith('$')) return line.endsWith(phrase.slice(0, -1));
  return line.includes(phrase);
}

export function matchesAny(line: string, phrases: readonly string[]): boolean {
  return phrases.some((phrase) => matches(line, phrase));
}
