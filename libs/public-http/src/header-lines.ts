/** The value of `Strict-Transport-Security` on a public origin with https (RFC 6797). */
export const STRICT_TRANSPORT_SECURITY = 'max-age=63072000; includeSubDomains';

/**
 * Returns the value of a header; undefined if the header is missing. Several headers of one name are joined with
 * commas.
 * @param name in lower case.
 */
export function headerOf(rawHeaders: readonly string[], name: string): string | undefined {
  const values = rawHeaders.filter(
    (_, i) => i % 2 === 1 && rawHeaders[i - 1].toLowerCase() === name,
  );
  return values.length === 0 ? undefined : values.join(', ');
}

/** Converts alternating names and values to header lines. */
export function headerLines(headers: readonly string[]): string {
  let lines = '';
  for (let i = 0; i < headers.length; i += 2) lines += `${headers[i]}: ${headers[i + 1]}\r\n`;
  return lines;
}
