import { describe } from '@jest/globals';
import { openSolo } from './deployment.js';
import { searches } from './searches.story.js';

describe('in one process: what was looked up is history', () => searches(openSolo));
