/** The share of right answers below which a release is held back. */
export const BARS: Readonly<Record<string, number>> = {
  found: 0.97,
  not_registered: 0.99,
  created: 0.95,
  updated: 0.95,
  expires: 0.95,
  nameServers: 0.95,
  registrar: 0.92,
  contacts: 0.85,
  throttled: 1,
};
