import { parseDomainName } from '#libs/domain-names';
import { Registries } from '#libs/resolvers';

export interface NamedLine {
  line: number;
  name: string;
  /** The upstream to query; a name waits only for names with the same upstream. */
  upstream: string;
}

export interface BadLine {
  line: number;
  message: string;
}

/** A line as it is stored. */
export interface StoredLine extends NamedLine {
  /** The fault of the line. If there is a fault, `name` contains the text of the line, shortened if it is long. */
  fault: string | null;
}

export interface LeftOutLine extends Pick<StoredLine, 'line' | 'name' | 'fault'> {
  /** The line that has the answer for the same name; null for a rejected line. */
  firstLine: number | null;
}

/** Maximum length to which a rejected text is stored. */
const TEXT_LENGTH_MAX = 255;

export const BAD_LINES_SHOWN = 100;

/** Stands for the upstream of names that have no known upstream. */
export const NOBODY = 'none';
let registries = Registries.vendored();

/** Sets the tables that determine the upstreams of names; called once, at the start, with lookup's tables. */
export function useRegistries(tables: Registries): void {
  registries = tables;
}

/** Reads a line. @returns the name in it, or its fault. */
export function readName(text: string, line: number): NamedLine | BadLine {
  const parsed = parseDomainName(text);
  if (!parsed.ok) return { line, message: parsed.message };
  const { name } = parsed.domain;
  return { line, name, upstream: upstreamOf(name) };
}

/** Returns a line as it is stored. @param text the text as given. */
export function storedLine(read: NamedLine | BadLine, text: string): StoredLine {
  if ('name' in read) return { ...read, fault: null };
  const name = text.slice(0, TEXT_LENGTH_MAX).replaceAll('\0', '');
  return { line: read.line, name, upstream: '', fault: read.message };
}

/**
 * Returns the upstream of a name; `NOBODY` if none is known. Top-level domains with the same
 * upstream share its rate, so chunks are split by upstream.
 */
export function upstreamOf(name: string): string {
  const { rdapBaseUrl, whoisServer } = registries.route(name);
  if (rdapBaseUrl !== undefined) return new URL(rdapBaseUrl).host;
  return whoisServer ?? NOBODY;
}
