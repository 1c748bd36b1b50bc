import { generateKeyPairSync, sign } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { generateApiKey } from '#libs/contracts';
import { MINUTE_MS } from '#libs/platform';
import { AccountUnderTest, type Registered } from '../../../../test/account/account-under-test.js';
import { LoopbackServer } from '../../../../test/stand-ins/json-server.js';

const EMAIL = 'leaked@example.com';
const PAGE = 'https://github.com/ada/tools/blob/1f0c/settings.py';
const REPORT = '/internal/leaked-keys';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const published = { key_identifier: 'k1', key: publicKey.export({ type: 'spki', format: 'pem' }) };

let account: AccountUnderTest;
let owner: Registered;
let fetches = 0;
let github: { status: number; keys: object[] };
const githubApi = new LoopbackServer((_, response) => {
  fetches += 1;
  response.writeHead(github.status).end(JSON.stringify({ public_keys: github.keys }));
});

beforeAll(async () => {
  github = { status: 200, keys: [published] };
  await githubApi.start();
  account = await AccountUnderTest.start({
    githubApiUrl: githubApi.url,
    takesLeakReports: true,
  });
  owner = await account.register(EMAIL);
});
afterAll(async () => {
  await account.stop();
  await githubApi.stop();
});

const signed = (bytes: string, keyId = published.key_identifier) => ({
  'github-public-key-identifier': keyId,
  'github-public-key-signature': sign('sha256', Buffer.from(bytes), privateKey).toString('base64'),
});

async function send(bytes: string, headers: Record<string, string> = signed(bytes)) {
  const answer = await account.service.app.inject({
    method: 'POST',
    url: REPORT,
    payload: bytes,
    headers: {
      authorization: `Bearer ${account.tokenOf('dashboard')}`,
      'content-type': 'application/octet-stream',
      ...headers,
    },
  });
  return { status: answer.statusCode, body: answer.json() };
}

const reportOf = (...tokens: string[]) =>
  JSON.stringify(tokens.map((token) => ({ token, type: 'dds_api_key', url: PAGE })));

async function keys() {
  const token = await account.newSession(owner);
  const { body } = await account.dashboard('GET', 'keys', { token });
  return body.keys as { id: string; masked: string; state: string; revoked_because: string }[];
}
const stateOf = async (key: string) => {
  const shown = (await keys()).find(({ masked }) => masked.endsWith(key.slice(-4)));
  return [shown?.state, shown?.revoked_because];
};

it('S16: a signed report revokes the keys in it once, and tells the owner where each was found', async () => {
  const bytes = reportOf(owner.key, 'dds_live_wrong', generateApiKey('live'));
  expect(await send(bytes)).toEqual({ status: 200, body: { received: true } });
  expect(await stateOf(owner.key)).toEqual(['revoked', 'leak']);
  expect(await stateOf(owner.testKey)).toEqual(['active', null]);
  const mails = await account.mailsTo(EMAIL);
  expect(mails[0].text).toContain(PAGE);
  expect(await send(bytes)).toMatchObject({ status: 200 });
  expect(await account.mailsTo(EMAIL)).toEqual(mails);
});

it('S16: a report is rejected if it is not signed, was changed, or names an unknown key of GitHub', async () => {
  const bytes = reportOf(owner.testKey);
  const rejected = { status: 401, body: { code: 'report_rejected' } };
  for (const headers of [{}, signed(`${bytes} `), signed(bytes, 'k2')]) {
    expect(await send(bytes, headers)).toMatchObject(rejected);
  }
  expect(await stateOf(owner.testKey)).toEqual(['active', null]);
  expect(await send('{"token":1}')).toMatchObject({ status: 400 });
});

it('S16: unknown key ids cause one fetch of GitHub’s keys a minute, and known keys are accepted while GitHub fails', async () => {
  account.clock.advance(MINUTE_MS);
  const before = fetches;
  await Promise.all(Array.from({ length: 20 }, () => send('[]', signed('[]', 'k3'))));
  expect(fetches).toBe(before + 1);
  github.status = 503;
  account.clock.advance(90 * MINUTE_MS);
  expect(await send('[]')).toMatchObject({ status: 200 });
  expect(fetches).toBe(before + 2);
  github = { status: 200, keys: [published, { ...published, key_identifier: 'k3' }] };
  account.clock.advance(MINUTE_MS);
  expect(await send('[]', signed('[]', 'k3'))).toMatchObject({ status: 200 });
});

it('S16: an installation that takes no part in secret scanning has no such page', async () => {
  account.config.takesLeakReports = false;
  expect(await send('[]')).toMatchObject({ status: 404 });
  account.config.takesLeakReports = true;
});
