const SHAPE =
  /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)? ?(Z|UTC|[+-]\d\d(?::?\d\d)?)?)?$/i;

/**
 * Parses a time in ISO 8601, possibly with a space in place of the `T`; UTC if no zone is given. @returns undefined for
 * other formats, because they are ambiguous, and for days that do not exist.
 */
export function instantOf(text: string): Date | undefined {
  const [, day, minute = '00:00', second = ':00', zone = 'Z'] = SHAPE.exec(text.trim()) ?? [];
  if (day === undefined) return undefined;
  const midnight = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(day)) return undefined;
  const offset = /^(?:Z|UTC)$/i.test(zone)
    ? 'Z'
    : zone.replace(/^(...):?(\d\d)?$/, (_, hours: string, minutes = '00') => `${hours}:${minutes}`);
  const time = new Date(`${day}T${minute}${second}${offset}`);
  return Number.isNaN(time.getTime()) ? undefined : time;
}
