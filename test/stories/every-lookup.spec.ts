import { describe } from '@jest/globals';
import { openSolo } from './deployment.js';
import { everyLookup } from './every-lookup.story.js';

describe('in one process: every lookup', () => everyLookup(openSolo));
