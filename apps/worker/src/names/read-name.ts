import { parseDomainName } from '#libs/domain-names';
import { Registries } from '#libs/resolvers';

/** A name with the line in which it was given. */
export interface NamedLine {
  line: number;
  name: string;
  /** The upstream to query; names of one upstream wait for one another, and for no other. */
  upstream: string;
}

export interface BadLine {
  line: number;
  message: string;
}

/** Maximum number of invalid lines that are shown. */
export const BAD_LINES_SHOWN = 100;

const NOBODY = 'none';
const registries = Registries.vendored();

/** Reads one line. @returns the name in it, or what is wrong with it. */
export function readName(text: string, line: number): NamedLine | BadLine {
  const parsed = parseDomainName(text);
  if (!parsed.ok) return { line, message: parsed.message };
  const { name } = parsed.domain;
  return { line, name, upstream: upstreamOf(name) };
}

/** Several top-level domains of one upstream share its rate, so chunks are split by upstream. */
function upstreamOf(name: string): string {
  const { rdapBaseUrl, whoisServer } = registries.route(name);
  if (rdapBaseUrl !== undefined) return new URL(rdapBaseUrl).host;
  return whoisServer ?? NOBODY;
}
