import { describe } from '@jest/globals';
import { liveLookups } from './live-lookup.story.js';
import { misbehavingRegistries } from './misbehaving-registries.story.js';
import { OneProcessWorld } from './registry-world.js';

describe('in one process: a lookup', () => liveLookups(OneProcessWorld));

describe('in one process: an upstream that misbehaves', () =>
  misbehavingRegistries(OneProcessWorld));
