import { runAlone } from '#libs/services';
import { corpus } from './service.js';

await runAlone(corpus);
