import type { SafeConnector } from '../safe-connect/safe-connector.js';

export interface Port43Limits {
  connectMs: number;
  firstByteMs: number;
  wholeMs: number;
  sizeBytes: number;
}

export interface Port43Answer {
  text: string;
  truncated: boolean;
}

/** Asks WHOIS servers on port 43 (RFC 3912). */
export class Port43Client {
  constructor(
    private readonly connector: SafeConnector,
    private readonly limits: Partial<Port43Limits> = {},
  ) {}

  /** @throws ConnectionError */
  ask(_server: string, _domain: string, _signal?: AbortSignal): Promise<Port43Answer> {
    throw new Error(String([this.connector, this.limits]));
  }
}
