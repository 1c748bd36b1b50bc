import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { faultsAtStripe, stripeMockProgram } from '../../../../test/billing/stripe-mock.js';
import { PaymentsSimulator } from '../../../simulators/src/payments/payments-simulator.js';
import { STRIPE_TYPES, missingTypes } from './registered-webhooks.js';
import { runPaypal, runStripe } from './sandbox-commands.js';
import { SandboxConfig } from '../sandbox.config.js';

const DASHBOARD = 'https://dashboard.example';

describe('a trial with a processor', () => {
  const simulator = new PaymentsSimulator();
  let config: SandboxConfig;
  const said: string[] = [];

  beforeAll(async () => {
    const url = await simulator.start();
    config = Object.assign(new SandboxConfig(), {
      dashboardUrl: DASHBOARD,
      stripeApiUrl: url,
      stripeApiKey: 'sk_test_operator',
      paypalApiUrl: `${url}/paypal`,
      paypalClientId: 'simulator',
      paypalClientSecret: 'a secret of PayPal',
    });
    const secret = 'WH12345678';
    simulator.sendCallbacksTo({ url: `${DASHBOARD}/callbacks/stripe`, secret });
    simulator.paypal.callbacks.target = { url: `${DASHBOARD}/callbacks/paypal`, secret };
    simulator.callbacks.faults.drop = simulator.paypal.callbacks.faults.drop = true;
  });
  afterAll(() => simulator.stop());

  const operator = (waitMs = 20_000) => ({
    say(line: string) {
      said.push(line);
      const page = /^ {2}Open (\S+)/.exec(line)?.[1];
      if (page) void pressed(page);
    },
    waitMs,
    everyMs: 50,
  });

  async function pressed(page: string): Promise<void> {
    const text = await (await fetch(page)).text();
    const actions = [...text.matchAll(/action="([^"]+)"/g)].map(([, action]) => action);
    const action = actions.find((one) => /\/(pay|pays|agree|approve)$/.test(one)) ?? actions[0];
    await fetch(new URL(action, page), { method: 'POST', redirect: 'manual' });
  }

  const outcomes = (steps: object[]) =>
    steps.map((step) => {
      const { title, outcome, says } = step as Record<string, string>;
      return outcome === 'seen' ? `${title}: seen` : `${title}: ${outcome}, ${says}`;
    });

  it('runs checkout, refund, renewal by test clock and events at Stripe, and cleans up', async () => {
    const steps = await runStripe(config, operator());
    expect(outcomes(steps)).toEqual(
      [
        'Checkout of a package',
        'Refund',
        'Checkout of a plan',
        'Renewal with another plan, by test clock',
        'Events',
        'Webhook',
        'Clean-up',
      ].map((title) => `${title}: seen`),
    );
  });

  (stripeMockProgram() ? it : it.skip)(
    'Stripe’s mock server accepts every request of the trial',
    async () => {
      const requests = simulator.stripe.requests.filter(({ path }) => path.startsWith('/v1/'));
      expect(requests.length).toBeGreaterThan(15);
      expect(await faultsAtStripe(stripeMockProgram()!, requests)).toEqual([]);
    },
  );

  it('runs order, refund and plan at PayPal, says that renewals cannot be tested there, and ends the plan', async () => {
    const steps = await runPaypal(config, operator());
    expect(outcomes(steps)).toEqual(
      ['Checkout of a package', 'Refund', 'Checkout of a plan', 'Webhook', 'Clean-up'].map(
        (title) => `${title}: seen`,
      ),
    );
    expect(JSON.stringify(steps)).toContain('cannot be brought forward');
  });

  it('without keys, describes each step and sends nothing; rejects a live key', async () => {
    const before = simulator.stripe.calls;
    const none = Object.assign(new SandboxConfig(), { stripeApiUrl: config.stripeApiUrl });
    const steps = await runStripe(none, operator());
    expect(steps.map((step) => 'does' in step && step.does.length > 40)).toEqual(
      Array(7).fill(true),
    );
    expect(said.at(-1)).toContain('STRIPE_API_KEY');
    for (const stripeApiKey of ['sk_live_x', 'rk_live_x', 'sk_org_live_x', ' sk_live_x']) {
      const live = Object.assign(new SandboxConfig(), { ...config, stripeApiKey });
      await expect(runStripe(live, operator())).rejects.toThrow('is not a test key');
    }
    for (const host of ['api-m.paypal.com', 'api.paypal.com', 'api-m.paypal.com.']) {
      const livePaypal = { ...config, paypalApiUrl: `https://${host}` };
      await expect(runPaypal(Object.assign(none, livePaypal), operator())).rejects.toThrow(
        'is not the sandbox',
      );
    }
    expect(simulator.stripe.calls).toBe(before);
  });

  it('a failing step skips the later steps, but objects created before are removed', async () => {
    simulator.paypal.callbacks.target = undefined;
    const elsewhere = await runPaypal(config, operator());
    expect(outcomes(elsewhere)[3]).toContain('No webhook points to https://dashboard.example');
    expect(outcomes(elsewhere).at(-1)).toBe('Clean-up: seen');
    simulator.stripe.endedKeys.add('sk_test_operator');
    const ended = outcomes(await runStripe(config, operator()));
    expect(ended[0]).toContain('Invalid API Key');
    expect(ended[1]).toBe('Refund: left out, a step before it failed');
    expect(ended.at(-1)).toBe('Clean-up: seen');
  });

  it('a destination with only one type of a group lacks the others, unless it receives all types', () => {
    expect(missingTypes(STRIPE_TYPES, ['*'])).toEqual([]);
    const some = [...STRIPE_TYPES.filter((type) => !/refund/.test(type)), 'v1.refund.created'];
    expect(missingTypes(STRIPE_TYPES, some)).toEqual(['v1.refund.failed', 'v1.refund.updated']);
  });
});
