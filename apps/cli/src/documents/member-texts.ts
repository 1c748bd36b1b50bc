/** The comments of response and body classes, by class and member; the class's own comment is under `''`. */
type MemberTexts = Record<string, Record<string, string>>;

const CLASS =
  /(?:\/\*\*((?:(?!\*\/)[^])*)\*\/\n)?export (?:abstract )?class (\w+)[^{;]*\{\n([^]*?)\n\}/g;
const MEMBER = /\n {2}\/\*\*((?:(?!\*\/)[^])*)\*\/\n(?: {2}@\w+\([^;]*?\)\n)+ {2}(\w+)[?!]?:/g;

/**
 * Reads the comments of classes and of their decorated members in source files of the contracts. API consumers read
 * these comments as descriptions.
 */
export function memberTexts(sources: readonly string[]): MemberTexts {
  const texts: MemberTexts = {};
  for (const source of sources) {
    for (const [, about, name, body] of source.matchAll(CLASS)) {
      const members = [...`\n${body}`.matchAll(MEMBER)].map(
        ([, text, member]) => [member, plain(text)] as const,
      );
      const own = about === undefined ? [] : [['', plain(about)] as const];
      if (own.length + members.length > 0) texts[name] = Object.fromEntries([...own, ...members]);
    }
  }
  return Object.fromEntries(Object.entries(texts).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Returns a comment's text without delimiters, and without references to security statements, which concern only
 * readers of the source.
 */
function plain(comment: string): string {
  return comment
    .replace(/\s*\n\s*\*\s?/g, ' ')
    .replace(/ \(S\d+\)/g, '')
    .trim();
}
