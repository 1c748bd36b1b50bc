import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { ServiceTokens, SystemClock, loadConfig, settingsOf } from '#libs/platform';
import { CONFIGURED_APPS, SERVICES } from '../../apps/cli/src/declared.js';
import { writeSecretFiles } from '../../apps/cli/src/secrets/secret-files.js';

interface ComposeService {
  image: string;
  build?: string;
  command?: string[];
  environment?: Record<string, string>;
  secrets?: string[];
  ports?: string[];
  healthcheck?: { test?: string[]; disable?: boolean };
  depends_on?: Record<string, { condition: string }>;
  profiles?: string[];
  read_only?: boolean;
  cap_add?: string[];
}

interface Component {
  name: string;
  version: string;
  purl: string;
}

interface LockedPackage {
  version: string;
  dev?: boolean;
  optional?: boolean;
  cpu?: string[];
  os?: string[];
  libc?: string[];
}

interface Compose {
  services: Record<string, ComposeService>;
  secrets: Record<string, { file: string }>;
}

/** Compares the files with the parts of the product to which they refer; `image.spec.ts` builds and runs them. */
describe('the image and the compose file', () => {
  const compose = load(readFileSync('docker-compose.yml', 'utf8')) as Compose;
  const dockerfile = readFileSync('Dockerfile', 'utf8');
  const folder = mkdtempSync(join(tmpdir(), 'secrets-'));
  const services = Object.entries(compose.services);
  const own = services.filter(([, { build }]) => build !== undefined);
  let written: string[];

  const entryOf = ({ command = [] }: ComposeService) =>
    command.find((word) => word.startsWith('dist/')) as string;
  const appOf = (service: ComposeService) => entryOf(service).split('/')[2];
  const environmentOf = ({ environment = {} }: ComposeService) =>
    Object.fromEntries(
      Object.entries(environment).map(([name, value]) => [
        name,
        value.replace('/run/secrets', folder).replace(/\$\{\w+:-(.*)\}/, '$1'),
      ]),
    );

  beforeAll(() => {
    const database = 'postgres:5432/domain_data?sslmode=disable';
    const stripe = { apiKey: 'sk_test_of_somebody', callbackSecret: 'whsec_of_somebody' };
    written = writeSecretFiles({ folder, database, smtpUrl: 'smtp://mail.example:25', stripe });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('every service of the registry has a container, and the gateway has two', () => {
    const apps = own.map(([, service]) => appOf(service)).toSorted();
    const names = SERVICES.map(({ name }) => name);
    expect(apps).toEqual(['cli', 'cli', 'cli', 'gateway', ...names].toSorted());
    for (const [name, service] of own) {
      expect([name, existsSync(entryOf(service))]).toEqual([name, true]);
    }
    // Some services need data that an installation cannot generate. Only operators who provide this data start these
    // services.
    for (const { name, requires } of SERVICES.filter((service) => service.name !== 'gateway')) {
      expect([name, compose.services[name].profiles]).toEqual([name, requires && [name]]);
    }
  });

  it('every variable is a declared setting, and together they complete each configuration', () => {
    for (const [name, service] of own) {
      const environment = environmentOf(service);
      const apps = CONFIGURED_APPS.filter((app) => app.name === appOf(service));
      const configs = apps.map(({ config }) => config);
      const declared = new Set(configs.flatMap(settingsOf).map(({ env }) => env));
      const unknown = Object.keys(environment).filter(
        (variable) => !declared.has(variable.replace(/_FILE$/, '')),
      );
      expect([name, unknown]).toEqual([name, []]);
      for (const config of configs) expect(() => loadConfig(config, environment)).not.toThrow();
    }
  });

  it('S22: gateways and the dashboard get their public origin and trusted proxies from the operator', () => {
    const origins = ['BASE_URL', 'BILLING_URL'];
    for (const [name, setting] of [
      ['gateway-1', 'GATEWAY_TRUSTED_PROXIES'],
      ['gateway-2', 'GATEWAY_TRUSTED_PROXIES'],
      ['dashboard', 'DASHBOARD_TRUSTED_PROXIES'],
    ]) {
      const { environment = {} } = compose.services[name];
      const names = [...origins, setting];
      const taken = names.map((key) => environment[key].replace(/^\$\{(\w+):-.*\}$/, '$1'));
      expect([name, taken]).toEqual([name, names]);
    }
  });

  it('services refer to one another by existing addresses, and each service has every address that it needs', () => {
    for (const { name, listeners, urlSetting, requires } of SERVICES) {
      const [{ port }] = listeners;
      for (const [, service] of own.filter((entry) => appOf(entry[1]) === name)) {
        expect([name, service.environment?.[port]]).toEqual([name, '7100']);
      }
      if (urlSetting === undefined) continue;
      for (const [caller, { environment = {} }] of own) {
        const url = environment[urlSetting];
        const expected = requires ? `\${${urlSetting}:-}` : `http://${name}:7100`;
        expect([caller, url ?? expected]).toEqual([caller, expected]);
      }
    }
    const urls = new Set(SERVICES.flatMap(({ urlSetting = [] }) => urlSetting));
    for (const { name, config } of SERVICES) {
      const taken = settingsOf(config).flatMap(({ env }) => (urls.has(env) ? env : []));
      for (const [container, { environment = {} }] of own.filter((one) => appOf(one[1]) === name)) {
        expect([container, taken.filter((env) => !(env in environment))]).toEqual([container, []]);
      }
    }
    expect(dockerfile).toContain('READY_URL=http://127.0.0.1:7100/ready');
  });

  it('every long-running process has a health check, and no process starts before its dependencies', () => {
    expect(dockerfile).toMatch(/^HEALTHCHECK /m);
    for (const [name, { build, healthcheck, command }] of services) {
      const isJob = command?.includes('dist/apps/cli/src/main.js') ?? false;
      const isChecked = healthcheck?.test !== undefined;
      expect([name, isJob ? healthcheck?.disable : isChecked]).toEqual([name, true]);
      // The image defines its health check in the exec form of CMD.
      const [, ofImage] = /^ {4}CMD (.*)$/m.exec(dockerfile) as RegExpExecArray;
      const own = ['CMD', ...(JSON.parse(ofImage) as string[])];
      if (build !== undefined && !isJob) expect(healthcheck?.test).toEqual(own);
    }
    for (const [name, { depends_on = {} }] of services) {
      for (const [needed, { condition }] of Object.entries(depends_on)) {
        const isJob = ['migrate', 'provision'].includes(needed);
        const expected = isJob ? 'service_completed_successfully' : 'service_healthy';
        expect([name, needed, condition]).toEqual([name, needed, expected]);
        expect(compose.services).toHaveProperty(needed);
      }
    }
  });

  it('S113: secrets are files that a command creates, readable only by their owner, and the compose file contains none', () => {
    const files = Object.entries(compose.secrets).map(([name, { file }]) => [name, file]);
    // Only the operator has the secret from which the services' secrets are derived.
    const expected = written.filter((name) => name !== 'service_secrets_source');
    expect(files.toSorted()).toEqual(
      expected.map((name) => [name, `deploy/secrets/${name}`]).toSorted(),
    );
    expect(statSync(folder).mode & 0o077).toBe(0);
    const secretSettings = new Set(
      CONFIGURED_APPS.flatMap(({ config }) => settingsOf(config))
        .filter(({ secret }) => secret)
        .map(({ env }) => env),
    );
    for (const [, { environment = {}, secrets = [] }] of services) {
      const given = Object.values(environment).filter((value) => value.startsWith('/run/secrets/'));
      expect(given.map((path) => path.split('/')[3]).toSorted()).toEqual(secrets.toSorted());
      const open = Object.keys(environment).filter((name) => secretSettings.has(name));
      // A Valkey without a password on an isolated network does not need a secret.
      expect(open.filter((name) => environment[name] !== 'redis://valkey:6379')).toEqual([]);
    }
  });

  it('S86: no service gets a secret that would let it impersonate another service', () => {
    const tokensOf = (service: string) =>
      new ServiceTokens(
        readFileSync(join(folder, `${service}_service_secret`), 'utf8'),
        new SystemClock(),
      );
    for (const service of own.map(([, one]) => appOf(one))) {
      const [secret] = compose.services[service]?.secrets?.filter((name) =>
        name.endsWith('_service_secret'),
      ) ?? [`${service}_service_secret`];
      expect(secret).toBe(`${service}_service_secret`);
    }
    const [lookup, account] = [tokensOf('lookup'), tokensOf('account')];
    expect(account.verify(tokensOf('cli').issue('cli', 'account'), 'account')).toBe('cli');
    expect(() => lookup.issue('cli', 'account')).toThrow(
      'has no secret for calls from cli to account',
    );
    const stolen = new ServiceTokens(
      readFileSync(join(folder, 'lookup_service_secret'), 'utf8').replaceAll(
        'cli>lookup',
        'cli>account',
      ),
      new SystemClock(),
    );
    expect(account.verify(stolen.issue('cli', 'account'), 'account')).toBeUndefined();
  });

  it('S113: the image is built only from named folders, and none of its variables contains a secret', () => {
    const lines = readFileSync('.dockerignore', 'utf8').split('\n');
    const [first, ...others] = lines.filter((line) => line !== '' && !line.startsWith('#'));
    expect(first).toBe('*');
    const sent = others.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    expect(sent.filter((path) => /secrets|\.env|\.data|deploy|\.git/.test(path))).toEqual([]);
    const secretSettings = CONFIGURED_APPS.flatMap(({ config }) => settingsOf(config)).filter(
      ({ secret }) => secret,
    );
    expect(secretSettings.length).toBeGreaterThan(10);
    const variables = [...dockerfile.matchAll(/(\w+)=/g)].map(([, name]) => name);
    const given = secretSettings.filter(({ env }) => variables.includes(env));
    expect([...given, ...dockerfile.matchAll(/^ARG /gm)]).toEqual([]);
  });

  it('running the command again does not change any secret', () => {
    const before = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    const again = { folder, database: 'elsewhere:5432/other', smtpUrl: 'smtp://other.example' };
    expect(writeSecretFiles(again)).toEqual([]);
    expect(readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual(
      before,
    );
  });

  it('only gateways and the dashboard publish ports, on loopback, and never the internal port', () => {
    for (const [name, { ports = [] }] of services) {
      expect([name, ports.length > 0]).toEqual([name, /^(gateway-|dashboard$)/.test(name)]);
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:808[01]$/);
    }
  });

  it('S110: every image has a version; our image runs with limits, without privileges, on a read-only root file system', () => {
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
    for (const image of [...bases, ...services.map((entry) => entry[1].image)]) {
      expect(image).toMatch(/^[\w./-]+:\d+\.\d+(\.\d+)?(-\w+)*(@sha256:[0-9a-f]{64})?$/);
    }
    expect(new Set(bases).size).toBe(2);
    for (const [name, service] of services) {
      expect([name, service]).toEqual([
        name,
        expect.objectContaining({
          cap_drop: ['ALL'],
          security_opt: ['no-new-privileges:true'],
          mem_limit: expect.any(String),
          pids_limit: expect.any(Number),
          logging: { driver: 'local', options: { 'max-size': '20m', 'max-file': '5' } },
        }),
      ]);
    }
    const users = [...dockerfile.matchAll(/^USER (.*)$/gm)].map(([, user]) => user);
    expect(users).toEqual(['10001:10001']);
    for (const [name, { read_only, cap_add }] of own) {
      expect([name, read_only, cap_add]).toEqual([name, true, undefined]);
    }
  });

  it('S107: the SBOM of the image lists Node and every Debian package', () => {
    const file = join(folder, 'sbom.json');
    writeFileSync(file, '{"components":[]}');
    execFileSync(process.execPath, ['image-sbom.js', file]);
    const { components } = JSON.parse(readFileSync(file, 'utf8')) as { components: Component[] };
    rmSync(file);
    const status = readFileSync('/var/lib/dpkg/status', 'utf8');
    const names = components.filter(({ purl }) => purl.startsWith('pkg:deb/debian/'));
    const held = [...status.matchAll(/^Package: (\S+)\nStatus: \S+ \S+ installed$/gm)];
    expect(names.map(({ name }) => name)).toEqual(
      expect.arrayContaining(held.map(([, name]) => name)),
    );
    expect(components.at(-1)).toMatchObject({ name: 'node', version: process.versions.node });
  });

  it('everything that the image copies exists, and the image starts without a shell', () => {
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, paths]) =>
      paths.split(' '),
    );
    expect(copied.length).toBeGreaterThan(4);
    for (const path of copied) expect([path, existsSync(path)]).toEqual([path, true]);
    const entry = /^ENTRYPOINT (.*)$/m.exec(dockerfile)?.[1];
    expect(JSON.parse(entry as string)[0]).toBe('node');
    const command = /^CMD (.*)$/m.exec(dockerfile)?.[1];
    expect(existsSync(JSON.parse(command as string)[0] as string)).toBe(true);
  });

  it('no package in the image depends on the processor architecture, and amd64 and arm64 have the same version of Node', () => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Record<string, LockedPackage>;
    };
    const held = Object.entries(packages).filter(([, { dev, optional }]) => !dev && !optional);
    expect(held.length).toBeGreaterThan(100);
    expect(held.filter(([, { cpu, os, libc }]) => cpu ?? os ?? libc)).toEqual([]);
    const node = ['x64', 'arm64'].map((cpu) => packages[`node_modules/node-linux-${cpu}`].version);
    const [, ofImage] = /^FROM node:([\d.]+)-/m.exec(dockerfile) as RegExpExecArray;
    expect(new Set([...node, ofImage]).size).toBe(1);
  });
});
