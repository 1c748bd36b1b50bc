import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { NotTheSignUpPassword } from '../../../account/src/registration/registration.errors.js';
import { DashboardUnderTest, textOf } from '../../../../test/dashboard/dashboard-under-test.js';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

let under: DashboardUnderTest;

beforeAll(async () => {
  under = await DashboardUnderTest.start();
});
afterAll(() => under?.stop());
beforeEach(() => {
  under.forget();
  under.setBalance();
});

it('a visitor whose session has ended gets the log-in page with the navigation for visitors', async () => {
  under.answerWith({ providers: [] }, 200);
  const text = textOf(await under.send('GET', '/log-in', { cookie: under.cookie }));
  expect(text).toContain('href="/sign-up"');
  expect(text).not.toMatch(/Log out|href="\/keys"/);
});

it('a log-out also ends a session that account has already ended', async () => {
  under.answerWith({ code: 'not_logged_in', status: 401, detail: '' }, 401);
  const { status, headers } = await under.post('/log-out');
  expect([status, headers.location]).toEqual([303, '/']);
  expect(String(headers['set-cookie'])).toContain('__Host-session=; Max-Age=0');
});

describe('an e-mailed link that was used or has expired', () => {
  const OVER = { code: 'link_invalid', status: 410, detail: '' };
  const CUT = {
    code: 'invalid_request',
    status: 400,
    detail: '',
    errors: [{ field: 'token', message: 'must be longer' }],
  };
  const send = (path: string, cookie?: string) =>
    under.send('POST', path, { ...under.ours, ...FORM, ...(cookie && { cookie }) }, 'token=t');
  const stranger = `__Host-csrf=${'c'.repeat(43)}`;

  it.each([
    ['/sign-up/confirm', '/sign-up'],
    ['/password/reset', '/password/forgot'],
    ['/account/email/confirm', '/account/email'],
  ])(
    'the page %s says so when it is opened and when its form is sent, and offers a new link',
    async (path, next) => {
      for (const body of [OVER, CUT]) {
        under.answerWith(body, body.status);
        const opened = await under.send('GET', `${path}?token=t`, { cookie: stranger });
        for (const answer of [opened, await send(path, stranger)]) {
          expect(answer.status).toBe(410);
          expect(textOf(answer)).toContain('already used, has expired or is incomplete');
          expect(textOf(answer)).toContain(`href="${next}"`);
          expect(textOf(answer)).not.toContain(`action="${path}"`);
        }
      }
    },
  );

  it('reloading the page of the first keys leads to the overview', async () => {
    under.answerWith(OVER, 410);
    const { status, headers } = await send('/sign-up/confirm');
    expect([status, headers.location]).toEqual([303, '/']);
  });
});

describe('after a log-in', () => {
  const BODY = 'email=ada%40example.com&password=a+sentence+is+fine';
  const landing = async (to: string) => {
    const answer = await under.post('/log-in', `${BODY}&to=${encodeURIComponent(to)}`);
    return answer.headers.location;
  };

  it('the requested page opens, even after a wrong password', async () => {
    const asked = '/requests?day=2026-11-20&operation=whois.live';
    const { headers } = await under.send('GET', asked);
    expect(headers.location).toBe(`/log-in?to=${encodeURIComponent(asked)}`);
    const page = textOf(await under.send('GET', String(headers.location)));
    const field = `name="to" value="${asked.replace('&', '&amp;')}"`;
    expect(page).toContain(field);
    under.answer = { ...under.answer, status: 401, body: Buffer.from('{"code":"wrong"}') };
    expect(
      textOf(await under.post('/log-in', `${BODY}&to=${encodeURIComponent(asked)}`)),
    ).toContain(field);
    under.forget();
    expect(await landing(asked)).toBe(asked);
  });

  it('a key in a URL is removed', async () => {
    const { headers } = await under.send('GET', '/keys?apiKey=dds_live_0123456789abcdefghij');
    expect(headers.location).not.toContain('0123456789');
  });

  it('only a path of the dashboard’s own origin is followed; an open redirect is rejected', async () => {
    for (const to of [
      'https://evil.example/',
      '//evil.example/',
      '///evil.example/',
      '/\\evil.example/',
      '\\\\evil.example',
      '/\t/evil.example/',
      '/\n/evil.example',
      '/.//evil.example',
      '/x/..//evil.example/',
      'javascript:alert(1)',
      ' /keys',
      'keys',
      '/log-in?to=/log-in',
      `/${'x'.repeat(1_001)}`,
      '',
    ]) {
      expect([to, await landing(to)]).toEqual([to, '/']);
      const shown = textOf(await under.send('GET', `/log-in?to=${encodeURIComponent(to)}`));
      expect(shown).toContain('name="to" value="/"');
    }
  });
});

it('S26: an entered password gives the session a new token, and the forms of its open pages still work', async () => {
  const token = 't'.repeat(43);
  under.answer = { ...under.answer, headers: { 'x-set-session': token } };
  for (const path of ['/account/export', '/reauthenticate', '/account/password']) {
    const { status, headers } = await under.post(path, 'password=mine');
    expect([path, status < 400]).toEqual([path, true]);
    const set = [headers['set-cookie'] ?? []].flat();
    expect(set.map((cookie) => cookie.split('=', 1)[0])).toEqual(['__Host-session']);
  }
});

describe('a rejected form', () => {
  it('each invalid field is marked with its fault, and the other input and the other ways to sign up are kept', async () => {
    under.answers.set('GET /internal/dashboard/log-in/providers', { providers: ['github'] });
    const errors = [{ field: 'email', message: 'must be one e-mail address' }];
    under.answerWith({ code: 'invalid_request', status: 400, detail: '', errors }, 400);
    const page = textOf(await under.post('/sign-up', 'first_name=Ada&email=ada&password=x'));
    expect(page).toMatch(/id="email"[^>]*value="ada"[^>]*aria-describedby="email-fault"/s);
    expect(page).toContain('id="email-fault">E-mail must be one e-mail address.');
    expect(page).toMatch(/id="first_name"[^>]*value="Ada"/s);
    expect(page.match(/aria-invalid/g)).toHaveLength(1);
    expect(page).toContain('action="/log-in/github"');
  });

  it('a wrong password at the confirmation is explained without API terms', async () => {
    const detail = new NotTheSignUpPassword().message;
    under.answerWith({ code: 'wrong_credentials', status: 401, detail }, 401);
    const form = 'token=t&password=x&set_password=true';
    const page = textOf(await under.post('/sign-up/confirm', form));
    expect(page).toContain('not the password that was chosen at sign-up');
    expect(detail).not.toContain('_');
    expect(page).toMatch(/name="set_password"\s+value="true"\s+checked/);
  });
});

describe('the ways to log in', () => {
  const hasPassword = (has: boolean) => {
    under.session = Object.assign({ ...under.session }, { hasPassword: has });
  };
  beforeEach(() => hasPassword(true));

  it.each([
    [true, 'Forgot the password?'],
    [false, 'No password yet?'],
  ])('if the account has a password (%s), the page asks: "%s"', async (has, words) => {
    hasPassword(has);
    for (const path of ['/account', '/account/password', '/account/email', '/account/export']) {
      expect([path, textOf(await under.get(path))]).toEqual([path, expect.stringContaining(words)]);
    }
  });

  it('S35: without a password, a recent log-in is enough to delete or export the account or to change its address', async () => {
    hasPassword(false);
    for (const path of ['/account', '/account/email', '/account/export']) {
      expect([path, textOf(await under.get(path))]).toEqual([
        path,
        expect.not.stringContaining('type="password"'),
      ]);
    }
    under.arrived.length = 0;
    const { headers } = await under.post('/account/export');
    expect([headers.location, under.changes()]).toEqual(['/api/account/export', []]);
    await under.post('/account/email', 'email=new%40example.com');
    await under.post('/account/delete');
    expect(under.changes()).toEqual([
      'POST /internal/dashboard/account/email',
      'POST /internal/dashboard/account/delete',
    ]);
    expect(under.arrived.at(-1)!.body.toString()).toBe('{}');
  });

  it('S35: without a password, people whose log-in is too old are asked to log in again, not to set a password, which would remove their other ways to log in', async () => {
    hasPassword(false);
    under.session.isRecent = false;
    const detail = 'Log in again.';
    under.answerWith({ code: 'reauthentication_required', status: 403, detail }, 403);
    for (const [path, to] of [
      ['/account/export', '/account/export'],
      ['/account/email', '/account/email'],
      ['/account/delete', '/account'],
      ['/keys', '/keys'],
      ['/security/passkeys/new', '/security'],
    ]) {
      const { status, text } = await under.post(path, path === '/keys' ? 'name=a' : '');
      expect([path, status]).toEqual([path, 403]);
      expect(text).toContain(`href="/log-in?to=${encodeURIComponent(to)}">Log in again<`);
      expect(text).not.toMatch(/type="password"|password\/forgot/);
    }
  });

  it('a new password requires the old one, and the page confirms the change', async () => {
    expect(textOf(await under.get('/account/password'))).toContain(
      'Every other browser is logged out',
    );
    const form = 'current_password=the+old+one&password=the+new+one';
    const changed = textOf(await under.post('/account/password', form));
    const [{ line, body }] = under.arrived;
    expect([line, JSON.parse(body.toString())]).toEqual([
      'POST /internal/dashboard/password/change',
      { current_password: 'the old one', password: 'the new one' },
    ]);
    expect(changed).toContain('The new password is set');
    expect(textOf(await under.get('/account?changed=password'))).not.toContain('password is set');
  });

  it('the pages that set a password by a link or remove a way to log in say what else ends', async () => {
    const reset = textOf(await under.get('/password/reset?token=abc'));
    expect(reset).toMatch(/ends all sessions and removes every passkey and connected provider/);
    const identities = [{ id: '1', provider: 'google', address: 'ada@example.com' }];
    under.answers.set('GET /internal/dashboard/identities', { identities });
    under.answers.set('GET /internal/dashboard/passkeys', { passkeys: [{ id: '1', name: 'A' }] });
    for (const ways of ['identities', 'passkeys']) {
      const page = textOf(await under.get(`/security/${ways}/1/remove`));
      expect([ways, page]).toEqual([ways, expect.stringContaining('every other browser is')]);
    }
  });

  it('S35: a new address requires the password, which is checked first', async () => {
    under.answer = { ...under.answer, status: 401, body: Buffer.from('{"code":"wrong"}') };
    const form = 'email=new%40example.com&password=mine';
    const refused = textOf(await under.post('/account/email', form));
    expect(refused).toContain('value="new@example.com"');
    const password = 'POST /internal/dashboard/session/reauthenticate';
    expect(under.changes()).toEqual([password]);
    under.forget();
    const sent = textOf(await under.post('/account/email', form));
    expect(sent).toContain('Until then everything stays as it is');
    expect(under.changes()).toEqual([password, 'POST /internal/dashboard/account/email']);
  });

  it('S37: for a known address, all ways to log in are offered except the provider that was just used', async () => {
    const providers = ['google', 'github'];
    under.answers.set('GET /internal/dashboard/log-in/providers', { providers });
    const connects = { connects: 'ada@example.com', to: '/' };
    under.answers.set('POST /internal/dashboard/log-in/return', connects);
    const shown = textOf(await under.post('/log-in/github/return', 'query=%3Fcode%3D1'));
    expect(shown).toContain('action="/log-in/google"');
    expect(shown).not.toContain('action="/log-in/github"');
    expect(shown).toContain('If you log in with Google instead, connect GitHub afterwards');
  });

  it('if a provider refuses, only a visitor without a session gets the log-in page', async () => {
    const detail = 'The provider did not confirm who you are.';
    under.answerWith({ code: 'provider_refused', status: 403, detail }, 403);
    const come = (cookie: string) => {
      const form = `csrf=${'c'.repeat(43)}&query=%3Ferror%3Daccess_denied`;
      const { 'x-csrf-token': _, ...ours } = under.ours;
      return under.send('POST', '/log-in/google/return', { ...ours, ...FORM, cookie }, form);
    };
    const stranger = `__Host-csrf=${'c'.repeat(43)}`;
    const session = /__Host-session=[^;]+/.exec(under.cookie)![0];
    for (const [cookie, hasForm] of [
      [stranger, true],
      [`${stranger}; ${session}`, false],
    ] as const) {
      const answer = await come(cookie);
      expect([answer.status, textOf(answer)]).toEqual([403, expect.stringContaining(detail)]);
      expect(textOf(answer).includes('action="/log-in"')).toBe(hasForm);
    }
  });

  it('S31: opening the link to a new address changes nothing; only its button confirms', async () => {
    const opened = textOf(await under.send('GET', '/account/email/confirm?token=abc'));
    expect(opened).toContain('<form method="post" action="/account/email/confirm">');
    expect(under.changes()).toEqual(['POST /internal/dashboard/links/check']);
    const { 'x-csrf-token': token, ...ours } = under.ours;
    const form = `csrf=${token}&token=abc`;
    const { body } = await under.send('POST', '/account/email/confirm', { ...ours, ...FORM }, form);
    expect(body.toString()).toContain('Your address is changed');
    expect(under.changes().slice(1)).toEqual(['POST /internal/dashboard/account/email/confirm']);
  });
});
