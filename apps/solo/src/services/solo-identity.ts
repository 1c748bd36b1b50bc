import type { Settings } from '#libs/services';
import { IdentitySimulator } from '../../../simulators/src/identity/identity-simulator.js';
import type { ShutdownOrder } from './shutdown-order.js';
import { isDashboardAtHome } from './solo-settings.js';

const REAL_PROVIDERS = ['GOOGLE_CLIENT_ID', 'GITHUB_CLIENT_ID'];

/**
 * Starts the simulated Google and GitHub and adds their settings to `settings`, unless the operator has set up an app.
 * The simulated providers run only if no other machine can reach the dashboard, because they accept any identity.
 */
export async function startIdentity(settings: Settings, shutdown: ShutdownOrder): Promise<void> {
  const isOperators = REAL_PROVIDERS.some((env) => settings[env] !== undefined);
  if (isOperators || !isDashboardAtHome(settings)) return;
  const identity = new IdentitySimulator();
  Object.assign(settings, await identity.start());
  shutdown.add('identity simulator', () => identity.stop());
}
