import { describe, jest } from '@jest/globals';
import { liveLookups } from './live-lookup.story.js';
import { misbehavingRegistries } from './misbehaving-registries.story.js';
import { SplitWorld } from './registry-world.js';

/** Two processes start for each world. */
jest.setTimeout(300_000);

describe('a process for each service: a lookup', () => liveLookups(SplitWorld));

describe('a process for each service: an upstream that misbehaves', () =>
  misbehavingRegistries(SplitWorld));
