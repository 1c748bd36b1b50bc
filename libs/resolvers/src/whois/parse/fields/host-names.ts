/**
 * Returns the host names in a line of a name server list: `ns1.example.net. 192.0.2.1`, `ns1.example.net (…)`,
 * `example.pt NS ns1.example.net.`, `1. ns1.example.net`. A line that does not begin like one of these is prose, and
 * has none.
 */
export function readHostNames(text: string): string[] {
  const words = splitWords(text.slice(0, 512));
  const record = words.findIndex((word) => word.toUpperCase() === 'NS');
  const hosts: string[] = [];
  for (const word of record > 0 ? words.slice(record + 1) : words) {
    const host = trimDots(word).toLowerCase();
    if (isHostName(host)) hosts.push(host);
    else if (hosts.length === 0 && !isMark(host)) return [];
  }
  return hosts;
}

/** True for letters, digits, hyphens and underscores with a dot in between, but not for an IPv4 address. */
export function isHostName(host: string): boolean {
  if (host.length < 4 || host.length > 253 || !host.includes('.')) return false;
  if (host.startsWith('.') || host.includes('..') || host === 'not.defined') return false;
  let hasLetter = false;
  for (const character of host) {
    const isLetter = character.toLowerCase() !== character.toUpperCase() || character > '\u007f';
    const isDigit = character >= '0' && character <= '9';
    if (!isLetter && !isDigit && !'-_.'.includes(character)) return false;
    hasLetter ||= isLetter;
  }
  const lastLabel = host.slice(host.lastIndexOf('.') + 1);
  return hasLetter && lastLabel.length > 1 && !(lastLabel[0] >= '0' && lastLabel[0] <= '9');
}

function splitWords(text: string): string[] {
  const words: string[] = [];
  let word = '';
  for (const character of text) {
    if (character <= ' ' || ',;()[]<>|/"\''.includes(character)) {
      if (word !== '') words.push(word);
      word = '';
    } else word += character;
  }
  if (word !== '') words.push(word);
  return words;
}

function trimDots(word: string): string {
  let [start, end] = [0, word.length];
  while (start < end && word[start] === '.') start += 1;
  while (end > start && (word[end - 1] === '.' || word[end - 1] === ':')) end -= 1;
  return word.slice(start, end);
}

function isMark(word: string): boolean {
  for (const character of word) {
    if (character.toLowerCase() !== character.toUpperCase()) return false;
  }
  return true;
}
