import { parseCidr, parseHostName, parseIpAddress } from '#libs/domain-names';
import { maskKeys } from '#libs/platform';
import { text } from '../kinds.js';
import type { ParameterKind } from '../parameter.js';

const VALUE_LENGTH_MAX = 300;
const PREFIX_MIN = { 4: 16, 6: 32 } as const;
const FIXTURES = ['192.0.2.1', '198.51.100.0/24'];
/** Addresses for documentation (RFC 5737), which are reserved for test keys. */
const RESERVED = /^(192\.0\.2|198\.51\.100|203\.0\.113)\./;

export function reverseValue(): ParameterKind<string> {
  const plain = text(VALUE_LENGTH_MAX);
  return {
    ...plain,
    // As for names: a pasted key is sent neither to the owner nor to the log.
    clean: (given) => maskKeys(given.trim().toWellFormed()),
    fault: (given) => {
      const fault = plain.fault(given);
      if (fault !== undefined) return fault;
      // Many texts have a slash and a number, such as ip4:198.51.100.0/24 in SPF.
      const [address] = given.split('/');
      if (!/^[^/ ]+\/\d+$/.test(given) || !parseIpAddress(address).ok) return undefined;
      const parsed = parseCidr(given);
      if (!parsed.ok) return 'must be an address block such as 198.51.100.0/24';
      const { version, prefixLength } = parsed.cidr;
      if (prefixLength >= PREFIX_MIN[version]) return undefined;
      return 'must be at most a /16, or a /32 for IPv6';
    },
    isReserved: (given) => RESERVED.test(given),
    isFixture: (given) => FIXTURES.includes(given),
  };
}

/** Returns what a value of `dns.reverse` is: an address, a block, a host, or any other text. */
export function reverseSubject(
  value: string,
):
  | { kind: 'address'; address: string }
  | { kind: 'block'; cidr: string }
  | { kind: 'host'; host: string }
  | { kind: 'text' } {
  const address = parseIpAddress(value);
  if (address.ok) return { kind: 'address', address: address.ip.address };
  const block = parseCidr(value);
  if (block.ok) {
    return { kind: 'block', cidr: `${block.cidr.address}/${block.cidr.prefixLength}` };
  }
  const host = parseHostName(value);
  return host.ok ? { kind: 'host', host: host.hostName.host } : { kind: 'text' };
}
