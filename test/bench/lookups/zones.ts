import { Registries } from '#libs/resolvers';
import { hasRegistrarHop } from '../../../apps/simulators/src/registry/layouts/by-tld.js';

/**
 * A top-level domain of each registry that is queried in this way, because the rate of a registry is not measured. The
 * registries answer for their registrars, of which the simulator has only four.
 */
export function tldsOver(protocol: 'rdap' | 'port 43'): string[] {
  const byHost = new Map<string, string>();
  for (const { tld, rdapBaseUrl, whoisServer } of Registries.vendored().routes()) {
    const host = protocol === 'rdap' ? rdapBaseUrl : !rdapBaseUrl && whoisServer;
    if (host && !hasRegistrarHop(tld)) byHost.set(host, tld);
  }
  return [...byHost.values()];
}
