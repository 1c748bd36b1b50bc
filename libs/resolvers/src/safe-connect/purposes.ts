export type ConnectPurpose = 'whois' | 'rdap' | 'dns' | 'webhook' | 'source';

export const PORTS_BY_PURPOSE: Record<ConnectPurpose, readonly number[]> = {
  whois: [43],
  rdap: [443],
  dns: [53, 853],
  webhook: [443],
  source: [443],
};

export function speaksTls(purpose: ConnectPurpose, port: number): boolean {
  return PORTS_BY_PURPOSE[purpose].includes(443) || port === 853;
}
