import { type Command, InvalidArgumentError } from 'commander';
import {
  ConfigurationError,
  MINUTE_MS,
  SECOND_MS,
  SystemClock,
  isLoopbackHost,
  loadConfig,
} from '#libs/platform';
import { type OutputOptions, answer } from '../output.js';
import { type PaypalTrial, paypalSteps } from './paypal-sandbox.js';
import { type Patience, type SandboxStep, type StepSeen, takeSteps } from './sandbox-run.js';
import type { Settings } from '../operator-settings.js';
import { SandboxConfig } from '../sandbox.config.js';
import { stripeSteps } from './stripe-sandbox.js';

/** The maximum number of calls per second, below the sandboxes' own limits. */
const CALLS_PER_SECOND = 10;
const TEST_KEY = /^(sk|rk)_test_/;
const PAYPAL_SANDBOXES = ['api-m.sandbox.paypal.com', 'api.sandbox.paypal.com'];
const WAIT_MIN_MINUTES = 1;
const WAIT_MAX_MINUTES = 60;

interface SandboxOptions extends OutputOptions {
  wait: number;
}

interface SandboxAnswer {
  steps: (StepSeen | { title: string; does: string })[];
}

/**
 * Adds `sandbox`, which tries the product's calls to a processor with the operator's test keys. No installation is
 * needed. @param settings the settings to use; by default, this process's environment.
 */
export function sandboxCommands(program: Command, settings?: Settings): void {
  const sandbox = program
    .command('sandbox')
    .description('try a processor with your own test keys: checkout, refund, renewal, webhook');
  for (const [name, run] of [
    ['stripe', runStripe],
    ['paypal', runPaypal],
  ] as const) {
    sandbox
      .command(name)
      .description(
        "test billing's calls in the sandbox. Without test keys, it prints what it would do; it rejects live keys",
      )
      .option(
        '--wait <minutes>',
        'minutes to wait for you at each page of the processor',
        minutes,
        10,
      )
      .option('--json', 'answer as JSON')
      .action(async ({ json, wait }: SandboxOptions) => {
        const say = (line: string) => void process.stderr.write(`${line}\n`);
        const waitMs = wait * MINUTE_MS;
        const steps = await run(loadConfig(SandboxConfig, settings), {
          say,
          waitMs,
          everyMs: 2 * SECOND_MS,
        });
        if (steps.some((step) => 'outcome' in step && step.outcome !== 'seen')) {
          process.exitCode = 1;
        }
        answer<SandboxAnswer>({ json }, { steps }, linesOf);
      });
  }
}

type Trial = (config: SandboxConfig, patience: Patience) => Promise<SandboxAnswer['steps']>;

/**
 * Runs the trial steps in Stripe's sandbox; without a key, only lists them.
 * @throws ConfigurationError for a key that is not a test key.
 */
export const runStripe: Trial = async (config, patience) => {
  const { stripeApiKey: apiKey, stripeApiUrl: apiUrl, dashboardUrl } = config;
  if (apiKey !== undefined && !TEST_KEY.test(apiKey)) {
    throw new ConfigurationError([
      'STRIPE_API_KEY: this is not a test key, and this command buys and refunds. Set a key that begins with sk_test_ or rk_test_.',
    ]);
  }
  const { StripeProcessor, CallRate } = await processors();
  const clock = new SystemClock();
  const processor = new StripeProcessor({
    apiKey: () => apiKey ?? 'sk_test_none',
    apiUrl,
    callbackSecrets: () => [],
    rate: new CallRate(CALLS_PER_SECOND),
    clock,
  });
  const trial = { apiKey: apiKey ?? '', apiUrl, dashboardUrl, processor, clock, patience };
  const missing = apiKey === undefined ? ['STRIPE_API_KEY (sk_test_… or rk_test_…)'] : [];
  return tried(stripeSteps(trial), missing, patience);
};

/**
 * Runs the trial steps in PayPal's sandbox; without both credentials, only lists them.
 * @throws ConfigurationError for a URL that is neither the sandbox's nor on this machine.
 */
export const runPaypal: Trial = async (config, patience) => {
  const { paypalClientId: clientId, paypalClientSecret: clientSecret } = config;
  const { paypalApiUrl: apiUrl, dashboardUrl } = config;
  const { hostname } = new URL(apiUrl);
  if (!PAYPAL_SANDBOXES.includes(hostname) && !isLoopbackHost(hostname)) {
    throw new ConfigurationError([
      'BILLING_PAYPAL_API_URL: this is not the sandbox, and this command buys and refunds. Unset it, and use the keys of a sandbox app.',
    ]);
  }
  const { PaypalProcessor, CallRate } = await processors();
  const clock = new SystemClock();
  const processor = new PaypalProcessor({
    apiUrl,
    clientId: clientId ?? '',
    clientSecret: () => clientSecret ?? '',
    webhookIds: [],
    returnUrl: 'https://example.com/paid',
    rate: new CallRate(CALLS_PER_SECOND),
    clock,
  });
  const trial: PaypalTrial = {
    clientId: clientId ?? '',
    clientSecret: clientSecret ?? '',
    apiUrl,
    dashboardUrl,
    processor,
    clock,
    patience,
  };
  const missing = [
    ...(clientId ? [] : ['BILLING_PAYPAL_CLIENT_ID']),
    ...(clientSecret ? [] : ['BILLING_PAYPAL_CLIENT_SECRET']),
  ];
  return tried(paypalSteps(trial), missing, patience);
};

async function tried(
  [steps, cleanUp]: [SandboxStep[], SandboxStep],
  missing: string[],
  { say }: Patience,
): Promise<SandboxAnswer['steps']> {
  if (missing.length === 0) return takeSteps(steps, cleanUp, say);
  const verb = missing.length > 1 ? 'are' : 'is';
  say(`No request was sent, because ${missing.join(' and ')} ${verb} not set. The steps would be:`);
  return [...steps, cleanUp].map(({ title, does }) => ({ title, does }));
}

// Billing's modules are loaded here, because only this command needs them.
const processors = async () => (await import('../declared.js')).processors();

const linesOf = ({ steps }: SandboxAnswer): string[] =>
  steps.map((step, place) =>
    'does' in step
      ? `${place + 1}. ${step.title}. ${step.does}`
      : `${step.outcome.padEnd(8)}  ${step.title}: ${step.says}`,
  );

function minutes(text: string): number {
  const value = Number(text);
  if (value >= WAIT_MIN_MINUTES && value <= WAIT_MAX_MINUTES) return value;
  throw new InvalidArgumentError(`It is ${WAIT_MIN_MINUTES} to ${WAIT_MAX_MINUTES} minutes.`);
}
