import { runAlone } from '#libs/services';
import { entitlement } from './service.js';

await runAlone(entitlement);
