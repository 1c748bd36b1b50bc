import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { TIERS } from '#libs/contracts';
import { DAY_MS } from '#libs/platform';
import { TestClock } from '#test/environment';
import { DashboardUnderTest, OWN_ORIGIN } from '../../../../test/dashboard/dashboard-under-test.js';
import { loadOperatorTexts } from './operator-texts.js';

const PAGES = ['/', '/prices', '/status', '/documents', '/terms', '/privacy', '/contact'];

describe('public pages', () => {
  let folder: string;
  let dashboard: DashboardUnderTest;
  const clock = new TestClock();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'texts-'));
    await writeFile(
      join(folder, 'terms.md'),
      '# Ours\n\n<script>alert(1)</script> [bad](javascript:alert(1)) [good](https://example.com/)',
    );
    const settings = { DASHBOARD_TEXTS_FOLDER: folder };
    dashboard = await DashboardUnderTest.start(undefined, settings, clock);
  });
  afterAll(async () => {
    await dashboard?.stop();
    await rm(folder, { recursive: true });
  });

  const textOf = async (path: string) => {
    const { status, body } = await dashboard.send('GET', path);
    return { status, text: body.toString() };
  };

  it('every page is shown without a log-in and links to all others', async () => {
    for (const path of PAGES) {
      const { status, text } = await textOf(path);
      expect([path, status]).toEqual([path, 200]);
      for (const other of PAGES) expect(text).toContain(`href="${other}"`);
    }
  });

  it('S66: the operator’s own texts are shown without HTML, and cannot link to scripts', async () => {
    const { text } = await textOf('/terms');
    expect(text).toContain('&lt;script&gt;');
    expect(text).toContain('href="https://example.com/"');
    expect(text).not.toContain('href="javascript:');
    expect((await textOf('/privacy')).text).toContain('has not published a privacy notice');
  });

  it('the calculator shows the price for a number of answers, and rejects an invalid number', async () => {
    const { text } = await textOf('/prices?operation=whois.live&count=20000');
    expect(text).toContain('20,000 credits');
    expect(text).toMatch(
      /\$46\.00<\/strong> in total: API plan 15K for \$27\.00 a month and a package of 5,000 credits for \$19\.00\./,
    );
    expect(text).toMatch(/\$67\.71<\/strong> in total: a package of 20,000 credits/);
    const { status, text: refused } = await textOf('/prices?operation=whois.live&count=1e99');
    expect([status, refused]).toEqual([400, expect.stringContaining('must be a whole number')]);
  });

  it('the status page says whether everything works, and a second view within five seconds queries no service', async () => {
    const { text } = await textOf('/status');
    expect(text).toContain('Everything works.');
    const asked = dashboard.arrived.filter(({ line }) => line === 'GET /ready').length;
    await textOf('/status');
    expect(dashboard.arrived.filter(({ line }) => line === 'GET /ready')).toHaveLength(asked);
  });

  it('the public sample of database files is linked where files are offered', async () => {
    for (const path of ['/', '/prices', '/documents']) {
      expect((await textOf(path)).text).toContain('href="https://api.example/v2.0/files/sample"');
    }
  });

  it('the prices page includes the prices of jobs and monitors, which are charged while they run', async () => {
    const { text } = await textOf('/prices');
    expect(text).toContain('1 credit per answered name, charged as the job runs.');
    expect(text).toContain('With <code>interval_minutes</code>, 1 credit per answered check');
  });

  it('trial credits are promised to a person, who gets them once, and not to every account', async () => {
    for (const path of ['/', '/prices']) {
      const words = (await textOf(path)).text.replaceAll(/\s+/g, ' ');
      expect(words).toMatch(/Your first account (has|starts with) 500 credits/);
    }
  });

  it('S104: the price tables are rendered only once, however often the page is opened', async () => {
    const { text } = await textOf('/prices');
    const render = jest.spyOn(TIERS, 'map');
    expect((await textOf('/prices')).text.slice(-5_000)).toBe(text.slice(-5_000));
    expect(render).not.toHaveBeenCalled();
    render.mockRestore();
  });

  it('operations at one path are distinguished by their parameter', async () => {
    const paths = (await textOf('/prices')).text.matchAll(/<code class="path">([^<]+)</g);
    const rows = [...paths].map(([, row]) => row);
    expect(rows).toContain('GET /v2.0/dns/reverse?type=PTR');
    expect(new Set(rows).size).toBe(rows.length);
  });

  it('the operator’s address is shown; without an address, the page promises no answer', async () => {
    expect((await textOf('/contact')).text).not.toContain('mailto:');
    const texts = await loadOperatorTexts({ contactAddress: 'help@example.com' });
    expect(texts.contact.text).toContain('href="mailto:help@example.com"');
    await writeFile(join(folder, 'contact.md'), 'Call us.');
    const own = { textsFolder: folder, contactAddress: 'help@example.com' };
    expect((await loadOperatorTexts(own)).contact.text).toContain('Call us.');
  });

  it('security.txt names the operator’s address for a month; without an address, there is none (RFC 9116)', async () => {
    const path = '/.well-known/security.txt';
    expect((await textOf(path)).status).toBe(404);
    const settings = { CONTACT_ADDRESS: 'help@example.com' };
    const other = await DashboardUnderTest.start(undefined, settings, clock);
    const { status, headers, text } = await other.send('GET', path);
    await other.stop();
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(text.split('\n')).toEqual([
      'Contact: mailto:help@example.com',
      `Expires: ${new Date(clock.now().getTime() + 30 * DAY_MS).toISOString()}`,
      'Preferred-Languages: en',
      `Canonical: ${OWN_ORIGIN}${path}`,
      '',
    ]);
  });

  it('if no registry can be reached, the status page says so, even if every service works', async () => {
    clock.advance(5_000);
    dashboard.answers.set('GET /ready', { status: 'degraded', faults: ['upstreams'] });
    const { text } = await textOf('/status');
    expect(text).toContain('Not available: Live lookups through the API; Jobs and monitors.');
    expect(text).toContain('no internet connection');
    dashboard.answers.clear();
    clock.advance(5_000);
    expect((await textOf('/status')).text).toContain('Everything works.');
  });

  it('the documents include the settings with which an agent uses the API', async () => {
    const { text } = await textOf('/documents');
    const [, settings] = /<pre data-copy="settings"><code>([^<]+)</.exec(text)!;
    const { mcpServers } = JSON.parse(settings.replaceAll('&quot;', '"')) as Record<string, object>;
    expect(mcpServers).toMatchObject({
      'domain-data': { type: 'http', url: expect.stringMatching(/^https?:.*[^/]\/mcp$/) },
    });
  });

  it('the start page shows a sample answer of the chosen operation', async () => {
    expect((await textOf('/')).text).toContain('registered.test');
    expect((await textOf('/?sample=dns.live')).text).toContain('/v2.0/dns/live');
    expect((await textOf('/?sample=no.such')).status).toBe(200);
  });
});
