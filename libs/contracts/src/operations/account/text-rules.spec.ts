import { describe, expect, it } from '@jest/globals';
import { faultsOf } from '#libs/platform';
import { CancelRequest } from '../billing/subscription-answer.js';
import { UpdateProfileRequest } from './profile.js';

describe('text that people write', () => {
  it.each(['علی\u200cرضا', 'ශ්\u200dරී', 'Zoë', 'Jean-Luc', 'O’Brien'])(
    'the first name %s is accepted',
    (first_name) => expect(faultsOf(UpdateProfileRequest, { first_name })).toEqual([]),
  );

  it('a line may contain joined emoji, and no other invisible characters', () => {
    expect(faultsOf(CancelRequest, { reason: 'no use 🤷\u200d♀️' })).toEqual([]);
    for (const sign of ['\n', '\u0000', '\u200b', '\u202e', '\ud800']) {
      expect(faultsOf(CancelRequest, { reason: `no${sign}use` })).toHaveLength(1);
    }
  });
});
