import type { Socket } from 'node:net';
import type { ConnectPurpose } from './purposes.js';
import type { UpstreamException } from './upstream-exceptions.js';

export interface SafeConnectorOptions {
  /** Hosts that are reached at a fixed address without check; none by default. */
  exceptions?: readonly UpstreamException[];
  /** PEM certificates trusted beside the system's. */
  extraCaPem?: string;
  /** `address:port` of name servers; the system's by default. */
  dnsServers?: readonly string[];
}

export interface ConnectLimits {
  timeoutMs: number;
  signal?: AbortSignal;
}

export class SafeConnector {
  constructor(private readonly options: SafeConnectorOptions = {}) {}

  safeConnect(
    _host: string,
    _port: number,
    _purpose: ConnectPurpose,
    _limits: ConnectLimits,
  ): Promise<Socket> {
    throw new Error(String(this.options));
  }
}
