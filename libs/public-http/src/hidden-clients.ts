import { isLoopbackOrigin } from '#libs/platform';

/** The settings that decide whether a listener sees its clients' own addresses. */
export interface PublicOrigin {
  origin: string;
  trustedProxies: readonly string[];
  settings: { origin: string; trustedProxies: string };
}

/**
 * Returns a warning for the operator if all customers would appear to have the same address, because the origin is
 * public and no proxy is trusted; otherwise undefined. The limits per address would then count all customers together.
 */
export function hiddenClientsOf(listener: PublicOrigin): string | undefined {
  const { origin, trustedProxies, settings } = listener;
  if (isLoopbackOrigin(origin) || trustedProxies.length > 0) return undefined;
  return `${settings.trustedProxies} is not set although ${settings.origin} is public: behind a proxy, every customer appears to have the proxy’s address, and the limits per address count all of them together`;
}
