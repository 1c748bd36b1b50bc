import type { AnyService } from '#libs/services';
import { SERVICES as OURS } from '../../apps/services.js';
import { archive } from './archive-service.js';

/** The registry after one line was added to it. */
export const SERVICES: readonly AnyService[] = [...OURS, archive];
