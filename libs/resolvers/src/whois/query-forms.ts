/**
 * The formats in which servers need the name, if they do not understand the bare name, or would add a list of hosts or
 * answer in another language. The formats come from the servers' own help texts.
 */
const FORMS: ReadonlyMap<string, (domain: string) => string> = new Map([
  ['ccwhois.verisign-grs.com', (domain) => `domain ${domain}`],
  ['tvwhois.verisign-grs.com', (domain) => `domain ${domain}`],
  ['whois.denic.de', (domain) => `-T dn,ace ${domain}`],
  ['whois.jprs.jp', (domain) => `${domain}/e`],
  ['whois.nic.name', (domain) => `domain=${domain}`],
  ['whois.punktum.dk', (domain) => `--show-handles ${domain}`],
  ['whois.verisign-grs.com', (domain) => `domain ${domain}`],
]);

/**
 * Returns the query to `server` about `domain` (RFC 3912 §2: one line, CR LF).
 *
 * @throws RangeError if the text could contain a second line, a flag or anything but a name.
 */
export function queryLine(server: string, domain: string): string {
  if (!/^[a-z0-9][a-z0-9.-]{0,252}$/.test(domain)) {
    throw new RangeError('A port-43 query needs a name in lower-case A-labels');
  }
  return `${FORMS.get(server)?.(domain) ?? domain}\r\n`;
}

/**
 * The host of ARIN, which answers with a list of records unless the query names their kind and requests the full
 * record.
 */
const ARIN = 'whois.arin.net';

/**
 * Returns the query to `server` about an address, a block or an AS number.
 *
 * @throws RangeError if the text could contain a second line, a flag or anything but numbers.
 */
export function numberQueryLine(server: string, text: string): string {
  const isAsn = /^AS\d{1,10}$/.test(text);
  if (!isAsn && !/^[0-9a-f.:]{2,45}(\/\d{1,3})?$/.test(text)) {
    throw new RangeError('A port-43 query needs an address, a block or an AS number');
  }
  if (server !== ARIN) return `${text}\r\n`;
  return isAsn ? `a + ${text.slice(2)}\r\n` : `${text.includes('/') ? 'r' : 'n'} + ${text}\r\n`;
}
