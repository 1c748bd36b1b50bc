import type { Outcome, RegistrationRecord } from '../record.js';

/** Where a port-43 text came from; it selects the grammar. */
export interface ParseContext {
  /** Registrable name that was asked for, A-label. */
  domain: string;
  server: string;
  tld: string;
  role: 'registry' | 'registrar';
}

export interface ParseResult {
  outcome: Outcome;
  record?: RegistrationRecord;
  retryAfterSeconds?: number;
}

/** Reads a decoded port-43 text; resolves to `parse_failed` or `timeout` rather than rejecting. */
export interface WhoisParser {
  parse(text: string, context: ParseContext): Promise<ParseResult>;
}
