import { execFile } from 'node:child_process';
import { copyFileSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { load } from 'js-yaml';
import { SERVICES } from '../../apps/services.js';
import { writeSecretFiles } from '../../apps/cli/src/secrets/secret-files.js';
import { composePlan, composeServices } from './compose-plan.js';
import { composeAvailability, composeConfig } from './tools/programs.js';

/** The time limit is long, because the parser is built first if this machine does not have it. */
jest.setTimeout(1_900_000);

const FILE = 'docker-compose.yml';
/** The keys of payment processors, which only the operator can create. */
const OPERATORS_KEYS = [
  'stripe_api_key',
  'stripe_callback_secrets',
  'billing_paypal_client_secret',
];
const DOCUMENTS = ['README.md', 'deploy/README.md', ...globSync('docs/operations/**/*.md')];
/** The pattern of `docker compose <command> <options and services>`, without a command for the container. */
const COMMAND = /docker compose (\w+)((?: [\w./-]+)*)/g;

interface Taken {
  services: Record<
    string,
    {
      environment?: Record<string, string>;
      command?: string[] | null;
      depends_on?: object;
      networks?: object;
    }
  >;
}

(composeAvailability() === undefined ? describe : describe.skip)('the compose file', () => {
  let program: string;
  let folder: string;

  beforeAll(async () => {
    program = await composeConfig();
    folder = mkdtempSync(join(tmpdir(), 'compose-'));
    copyFileSync(FILE, join(folder, FILE));
    const database = 'postgres:5432/domain_data?sslmode=disable';
    writeSecretFiles({ folder: join(folder, 'secrets'), database, smtpUrl: 'smtp://mail:25' });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function taken(environment: Record<string, string> = {}, file = FILE): Promise<Taken> {
    const { stdout } = await promisify(execFile)(program, [file], {
      cwd: folder,
      env: environment,
    });
    return load(stdout) as Taken;
  }

  it('Compose’s own parser reads every service as the test of the image starts it', async () => {
    const { services } = await taken({ COMPOSE_PROFILES: 'billing' });
    const secrets = join(folder, 'secrets');
    for (const key of OPERATORS_KEYS) writeFileSync(join(secrets, key), 'from the operator');
    const planned = composePlan(secrets);
    expect(planned.length).toBeGreaterThan(6);
    for (const { name, environment, command, needs } of planned) {
      const { environment: read, command: run, depends_on: after = {} } = services[name];
      expect([name, read, run]).toEqual([name, environment, command]);
      expect(Object.keys(after).toSorted()).toEqual(needs.toSorted());
    }
  });

  it('using .env.example as .env changes nothing, and a value that is set there reaches the services', async () => {
    const before = await taken();
    const file = join(folder, '.env');
    copyFileSync('.env.example', file);
    expect(await taken()).toEqual(before);
    writeFileSync(file, `${readFileSync(file, 'utf8')}\nBASE_URL=https://api.example.org\n`);
    const { services } = await taken();
    rmSync(file);
    expect(services['gateway-1'].environment?.BASE_URL).toBe('https://api.example.org');
  });

  it('billing runs if its profile and its URL are set, as the guide says', async () => {
    const guide = readFileSync('deploy/README.md', 'utf8');
    const said = /`(COMPOSE_PROFILES=\S+) (BILLING_INTERNAL_URL=\S+)`/.exec(
      guide,
    ) as RegExpExecArray;
    const given = Object.fromEntries(said.slice(1).map((one) => one.split('=')));
    const { services } = await taken(given);
    expect(Object.keys(services)).toContain('billing');
    expect(services['gateway-1'].environment?.BILLING_INTERNAL_URL).toBe('http://billing:7100');
    expect(Object.keys((await taken()).services)).not.toContain('billing');
  });

  it('a misspelt option is rejected', async () => {
    const text = readFileSync(FILE, 'utf8');
    writeFileSync(join(folder, 'misspelt.yml'), text.replace('mem_limit:', 'mem_limits:'));
    await expect(taken({}, 'misspelt.yml')).rejects.toThrow(/mem_limits/);
  });

  it('services that need the internet, and those of the documented override, are in the outer network', () => {
    const page = readFileSync('docs/operations/databases.md', 'utf8');
    const override = load(/```yaml\n( +services:[^]+?)```/.exec(page)![1]) as Taken;
    const outward = SERVICES.filter(({ outwardPorts }) => outwardPorts).map(({ name }) => name);
    expect(outward).toContain('corpus');
    for (const [all, names] of [
      [composeServices(), outward],
      [override.services, ['provision', 'migrate', 'cli']],
    ] as const) {
      const others = names.filter(
        (name) => !JSON.stringify(all[name]?.networks ?? []).includes('outer'),
      );
      expect(others).toEqual([]);
    }
  });

  it('every documented Compose command names existing services', () => {
    const known = Object.keys(composeServices());
    const commands = DOCUMENTS.flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(COMMAND)].map(([line, , words]) => ({ line, words })),
    );
    expect(commands.length).toBeGreaterThan(8);
    for (const { line, words } of commands) {
      const named = words.split(' ').filter((word) => word !== '' && !word.startsWith('-'));
      const services = / (run|exec) /.test(line) ? named.slice(0, 1) : named;
      expect([line, services.filter((name) => !known.includes(name))]).toEqual([line, []]);
    }
  });
});
