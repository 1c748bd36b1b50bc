export const BARS: Readonly<Record<string, number>> = {
  found: 0.995,
  not_registered: 1,
  restricted: 0.95,
  throttled: 1,
  created: 0.99,
  updated: 0.99,
  expires: 0.99,
  nameServers: 0.99,
  registrar: 0.97,
  contacts: 0.9,
};
