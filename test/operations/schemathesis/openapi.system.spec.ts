import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { RATE_CLASSES } from '#libs/contracts';
import { waitFor } from '#test/environment';
import { override } from '../../stories/connections.js';
import { Customer } from '../../stories/customer.js';
import { type Deployment, openSolo } from '../../stories/deployment.js';
import { schemathesis, schemathesisAvailability, schemathesisPython } from './schemathesis.js';

const LIMIT = 1_000_000;
const CONFIG = resolve('test/operations/schemathesis/schemathesis.toml');
/** A fixed seed, so that each run sends the same requests. */
const SEED = '1';
/** The minimum number of requests, below which a run would prove too little. */
const CASES_MIN = 4_000;
/** An idle machine needs less than half a minute; a slow and busy machine needs many times as long. */
const TIME_LIMIT_MS = 1_200_000;
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
  'missing_required_header',
  'unsupported_method',
  'allow_header_conformance',
  'ignored_auth',
];

jest.setTimeout(TIME_LIMIT_MS + 300_000);

const isHere = schemathesisAvailability() === undefined || process.env.CI === 'true';

(isHere ? describe : describe.skip)('the description that is served', () => {
  let deployment: Deployment;
  let customer: Customer;
  const folder = mkdtempSync(join(tmpdir(), 'schemathesis-'));

  beforeAll(async () => {
    await schemathesisPython();
    // Every operation is also called with a wrong key, and all these calls are sent within a minute.
    deployment = await openSolo({ GATEWAY_FAILED_KEYS_MAX: '10000' });
    customer = new Customer(deployment, 'tester@example.com');
    await customer.joinWithCredits();
    for (const name of RATE_CLASSES) await override(deployment, customer, { name, value: LIMIT });
    await waitFor('the limits', async () => (await customer.liveLimit()) === LIMIT);
  });
  afterAll(async () => {
    await deployment?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is true of generated requests, allowed and forbidden, and no answer is a 5xx', async () => {
    const options = [
      `--checks=${CHECKS.join(',')}`,
      '--phases=examples,coverage,fuzzing',
      // The random requests are sent in addition to the boundary values of every parameter and body.
      '--max-examples=2',
      `--seed=${SEED}`,
      '--generation-database=none',
      // The key is sent in only one place; the gateway's own specs cover the other places.
      '--generation-with-security-parameters=false',
      `--header=X-API-Key: ${customer.testKey}`,
      '--continue-on-failure',
      '--warnings=off',
      '--no-shrink',
      '--no-color',
    ];
    const { isSound, output } = await schemathesis(
      ['--config-file', CONFIG, 'run', `${deployment.apiUrl}/openapi.json`, ...options],
      { cwd: folder, timeoutMs: TIME_LIMIT_MS },
    );
    expect(isSound ? '' : output).toBe('');
    expect(Number(/(\d+) generated/.exec(output)?.[1])).toBeGreaterThan(CASES_MIN);
  });
});
