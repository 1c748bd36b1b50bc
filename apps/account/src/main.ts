import { runAlone } from '#libs/services';
import { account } from './service.js';

await runAlone(account);
