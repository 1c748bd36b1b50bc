import type { SafeConnector } from '../safe-connect/safe-connector.js';

export interface RdapLimits {
  connectMs: number;
  firstByteMs: number;
  wholeMs: number;
  sizeBytes: number;
  redirects: number;
}

/** Asks RDAP services (RFC 7480, RFC 9082). */
export class RdapClient {
  constructor(
    private readonly connector: SafeConnector,
    private readonly limits: Partial<RdapLimits> = {},
  ) {}

  /** Ends kept-alive connections. */
  close(): Promise<void> {
    throw new Error(String([this.connector, this.limits]));
  }
}
