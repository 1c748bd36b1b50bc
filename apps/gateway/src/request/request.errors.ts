import { PayloadTooLarge, Problem } from '#libs/platform';

export class TestKeyFixtureOnly extends Problem {
  constructor() {
    super({
      code: 'test_key_fixture_only',
      status: 422,
      detail:
        'A test key works only for fixtures, such as registered.test, 192.0.2.1 and AS64496. Use a live key for real data.',
    });
  }
}

export class FixtureNeedsTestKey extends Problem {
  constructor() {
    super({
      code: 'fixture_needs_test_key',
      status: 422,
      detail:
        'Names under .test, and addresses and AS numbers for documentation, need a test key (dds_test_…). They are not registered anywhere.',
    });
  }
}

export class PriceAboveMax extends Problem {
  constructor(credits: number, maxCredits: number) {
    super({
      code: 'price_above_max',
      status: 402,
      detail: `This request may cost up to ${credits} ${credits === 1 ? 'credit' : 'credits'}, more than max_credits=${maxCredits} allows. Nothing was charged.`,
      members: { credits_required: credits },
    });
  }
}

export class TooManyItems extends PayloadTooLarge {
  constructor(member: string, itemsMax: number) {
    super(
      `The list "${member}" may have at most ${itemsMax} items. Send the others in further requests.`,
      [{ field: member, message: `may have at most ${itemsMax} items` }],
    );
  }
}
