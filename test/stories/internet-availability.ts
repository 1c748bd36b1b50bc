import { missingPrograms } from '../../apps/simulators/src/dns/daemon.js';
import { FakeInternet } from '../../apps/simulators/src/internet/fake-internet.js';

/** The programs with which the product's answers are compared. */
const CLIENTS = ['dig', 'whois'];

/** The reason why the product cannot be tested on a private internet here; undefined if it can. */
export function internetAvailability(): string | undefined {
  const missing = missingPrograms(CLIENTS);
  return missing.length === 0 ? FakeInternet.missing : `no ${missing.join(', ')} on this machine`;
}
