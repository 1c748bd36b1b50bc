import { isIP } from 'node:net';

/** An operator's exception: a host and port that are reached at a given address, which is not checked. */
export interface UpstreamException {
  /** A host name; `*` for every host; `*.example` for every host below `example`. */
  host: string;
  port: number;
  address: string;
  addressPort: number;
}

/**
 * Parses `host:port=address:port,…` (IPv6 addresses in brackets), the setting that lets tests, simulators and closed
 * networks replace the internet. `*` and `*.suffix` match host names that are not listed themselves, but never
 * addresses. An empty text means no exceptions.
 *
 * @throws Error that names the invalid entry.
 */
export function parseUpstreamExceptions(text: string): UpstreamException[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(parseEntry);
}

/**
 * Returns the exception for a port of a name, of its longest suffix or of `*`; for an address, only its own; undefined
 * if there is none.
 */
export function exceptionFor(
  exceptions: ReadonlyMap<string, UpstreamException>,
  name: string,
  port: number,
): UpstreamException | undefined {
  const exact = exceptions.get(`${name}:${port}`);
  if (exact !== undefined || isIP(name) !== 0) return exact;
  for (let at = name.indexOf('.'); at >= 0; at = name.indexOf('.', at + 1)) {
    const below = exceptions.get(`*${name.slice(at)}:${port}`);
    if (below !== undefined) return below;
  }
  return exceptions.get(`*:${port}`);
}

function parseEntry(entry: string): UpstreamException {
  const parts =
    /^(\*|(?:\*\.)?[a-z0-9.-]+):(\d{1,5})=(?:\[([0-9a-f:.]+)\]|([\d.]+)):(\d{1,5})$/i.exec(entry);
  const [, host = '', port, ipv6, ipv4, addressPort] = parts ?? [];
  const exception = {
    host: host.toLowerCase(),
    port: Number(port),
    address: ipv6 ?? ipv4 ?? '',
    addressPort: Number(addressPort),
  };
  const portsFit = [exception.port, exception.addressPort].every((p) => p >= 1 && p <= 65535);
  if (isIP(exception.address) === 0 || !portsFit) {
    throw new Error(`Upstream exception "${entry}" is not host:port=address:port`);
  }
  return exception;
}
