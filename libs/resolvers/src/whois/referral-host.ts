import { DEAD_HOSTS } from '../registries/corrections.js';
import { isHostName } from '../safe-connect/host-name.js';

/**
 * Returns the port-43 host that a registry's answer names for the registrar; undefined if the text is not clearly a
 * host name. Registrars also enter the URLs of web pages there, so a scheme and a path are removed. A port other than
 * 43, an IP address and a known dead host are rejected.
 */
export function referralHost(text: string): string | undefined {
  const plain = /^\s*(?:(?:https?|whois):\/\/)?([a-z0-9.-]{1,254})(?::43)?(?:\/[^\s]*)?\s*$/i;
  const host = plain.exec(text.slice(0, 2048))?.[1]?.toLowerCase().replace(/\.$/, '');
  if (host === undefined || !isHostName(host) || DEAD_HOSTS.has(host)) return undefined;
  return host;
}
