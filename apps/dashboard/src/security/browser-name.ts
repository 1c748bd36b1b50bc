/**
 * The names of browsers, by the part of the user agent that identifies them. The order matters: the first match wins,
 * because a user agent may also contain the parts that identify browsers further down.
 */
const BROWSERS = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const;
const SYSTEMS = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const;
const LENGTH_MAX = 60;

/**
 * Returns a readable name for a user agent, such as "Firefox on Linux"; for an unknown browser, the start of the user
 * agent.
 */
export function browserName(userAgent: string): string {
  const [browser, system] = [BROWSERS, SYSTEMS].map(
    (names) => names.find(([part]) => userAgent.includes(part))?.[1],
  );
  if (!browser) return userAgent.slice(0, LENGTH_MAX) || 'Unknown browser';
  return system ? `${browser} on ${system}` : browser;
}
