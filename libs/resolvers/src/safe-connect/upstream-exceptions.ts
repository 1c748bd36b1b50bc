import { isIP } from 'node:net';

/** An operator's statement that one host and port is to be reached at one address, unchecked. */
export interface UpstreamException {
  host: string;
  port: number;
  address: string;
  addressPort: number;
}

/**
 * Reads `host:port=address:port,…` (IPv6 addresses in brackets), the setting by which tests,
 * simulators and closed networks stand in for the internet. Empty text means no exception.
 *
 * @throws Error naming the entry that cannot be read.
 */
export function parseUpstreamExceptions(text: string): UpstreamException[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(parseEntry);
}

function parseEntry(entry: string): UpstreamException {
  const parts = /^([a-z0-9.-]+):(\d{1,5})=(?:\[([0-9a-f:.]+)\]|([\d.]+)):(\d{1,5})$/i.exec(entry);
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
