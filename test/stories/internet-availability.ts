import { missingPrograms } from '../../apps/simulators/src/dns/daemon.js';
import { FakeInternet } from '../../apps/simulators/src/internet/fake-internet.js';

const CLIENTS = ['dig', 'whois'];

/** Returns why the product cannot be tested on a private internet here, or undefined if it can. */
export function internetAvailability(): string | undefined {
  const missing = missingPrograms(CLIENTS);
  return missing.length === 0 ? FakeInternet.missing : `no ${missing.join(', ')} on this machine`;
}
