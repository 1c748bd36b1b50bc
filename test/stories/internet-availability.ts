import { missingPrograms } from '../../apps/simulators/src/dns/daemon.js';
import { FakeInternet } from '../../apps/simulators/src/internet/fake-internet.js';

/** What the product's answers are compared with. */
const CLIENTS = ['dig', 'whois'];

/** Why the product cannot be tried on an internet of its own here; undefined when it can. */
export function internetAvailability(): string | undefined {
  const missing = missingPrograms(CLIENTS);
  return missing.length === 0 ? FakeInternet.missing : `no ${missing.join(', ')} on this machine`;
}
