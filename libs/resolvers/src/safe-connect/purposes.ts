export type ConnectPurpose = 'whois' | 'rdap' | 'webhook' | 'source';

export const PORTS_BY_PURPOSE: Record<ConnectPurpose, readonly number[]> = {
  whois: [43],
  rdap: [443],
  webhook: [443],
  source: [443],
};

export function speaksTls(purpose: ConnectPurpose): boolean {
  return PORTS_BY_PURPOSE[purpose].includes(443);
}
