import { DEAD_HOSTS } from '../registries/corrections.js';
import { isHostName } from '../safe-connect/host-name.js';

/**
 * The port-43 host a registry's answer names for its registrar, or nothing when the text is not
 * plainly a host name. Registrars put addresses of web pages there as well, so a scheme and a path
 * are taken off; another port than 43, an IP address and a host known dead are refused.
 */
export function referralHost(text: string): string | undefined {
  const plain = /^\s*(?:(?:https?|whois):\/\/)?([a-z0-9.-]{1,254})(?::43)?(?:\/[^\s]*)?\s*$/i;
  const host = plain.exec(text.slice(0, 2048))?.[1]?.toLowerCase().replace(/\.$/, '');
  if (host === undefined || !isHostName(host) || DEAD_HOSTS.has(host)) return undefined;
  return host;
}
