import { mkdtempSync, readFileSync, readdirSync, rmSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { X509Certificate, createPrivateKey } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { DAY_MS } from '#libs/platform';
import { waitFor } from '#test/environment';
import { ACCOUNT } from '../../../apps/cli/src/example-answers.js';
import { MANUAL, exampleWords } from '../../../apps/cli/src/manual.js';
import { writeSecretFiles } from '../../../apps/cli/src/secrets/secret-files.js';
import { SERVICES } from '../../../apps/services.js';
import { Customer } from '../../stories/customer.js';
import { firstLight } from '../../stories/first-light.story.js';
import { Chart, RELEASE } from '../chart.js';
import { type Pod, chartPlan } from '../chart-plan.js';
import { CHART_VALUES } from '../chart-values.js';
import { ImageDeployment } from '../image-deployment.js';
import { ImageStore } from '../image.js';
import { apiServerPrograms, chartTools, controllers } from '../tools/programs.js';
import { ApiServer } from './api-server.js';
import { customDefinitions } from './custom-definitions.js';
import type { KubernetesObject, KubernetesClient } from './kubernetes-client.js';
import { SimulatedCluster, isTrue } from './simulated-cluster.js';

const ISSUE_LIMIT_MS = 120_000;

interface Secret {
  metadata: { name: string };
  data?: Record<string, string>;
}

/** A service's certificate in the form of its Secret. */
interface IssuedCertificate {
  files: Record<string, string>;
  certificate: X509Certificate;
  authority: X509Certificate;
  isOfItsKey: boolean;
}

/** The certificates that cert-manager has signed for an installation of the chart. */
class IssuedCertificates {
  /** @param prefix precedes the service in the names of the chart's resources. */
  constructor(
    private readonly client: KubernetesClient,
    private readonly namespace: string,
    private readonly prefix: string,
  ) {}

  /** Renews a certificate before its time, as `cmctl renew` does. */
  async renew(name: string): Promise<void> {
    const lastTransitionTime = new Date().toISOString();
    const issuing = { type: 'Issuing', status: 'True', reason: 'ManuallyTriggered', message: '' };
    await this.client.merge(`${this.certificates}/${this.nameOf(name)}/status`, {
      status: { conditions: [{ ...issuing, lastTransitionTime }] },
    });
  }

  /** Resolves when the certificate exists and, if `before` is given, differs from it. */
  async of(name: string, before?: IssuedCertificate): Promise<IssuedCertificate> {
    const path = `/api/v1/namespaces/${this.namespace}/secrets`;
    const found = async () => {
      const secrets = await this.client.list<Secret>(path);
      const data = secrets.find(({ metadata }) => metadata.name === this.nameOf(name))?.data;
      if (!data?.['tls.crt'] || !data['ca.crt']) return undefined;
      const issued = issuedCertificate(data);
      const isOther =
        issued.certificate.serialNumber !== before?.certificate.serialNumber && issued.isOfItsKey;
      return isOther ? issued : undefined;
    };
    return waitFor(`the certificate of ${name}`, found, ISSUE_LIMIT_MS);
  }

  private get certificates(): string {
    return `/apis/cert-manager.io/v1/namespaces/${this.namespace}/certificates`;
  }

  private nameOf(name: string): string {
    return `${this.prefix}-${name}-tls`;
  }
}

/** @returns the folder with its files. */
function writeCertificate({ files }: IssuedCertificate, folder: string): string {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

function issuedCertificate(data: Record<string, string>): IssuedCertificate {
  const files = Object.fromEntries(
    Object.entries(data).map(([name, text]) => [name, Buffer.from(text, 'base64').toString()]),
  );
  const [certificate, authority] = ['tls.crt', 'ca.crt'].map((n) => new X509Certificate(files[n]));
  const isOfItsKey = certificate.checkPrivateKey(createPrivateKey(files['tls.key']));
  return { files, certificate, authority, isOfItsKey };
}

/** A limit that allows for building an image from nothing and starting a process for each pod. */
jest.setTimeout(1_800_000);

const NAMESPACE = 'dds';
const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`;
const SECRETS = `/api/v1/namespaces/${NAMESPACE}/secrets`;
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const IMAGE = `domain-data-service:${version}`;
const VALUES = CHART_VALUES.defaults as string[];
/** Values that enable every service, and operator commands with a superuser's password. */
const SETS = [
  'services.billing.enabled=true',
  'cli.superuser=true',
  'postgresql.maxConnections=200',
];
const NEXT = 'image.tag="next"';
/** Examples in the manual that name missing objects, with the resulting messages. */
const REFUSED: readonly [words: RegExp, sentence: string][] = [
  [/^events (redrive|discard) /, 'this consumer has no such failed event'],
  [/^billing (replay|\w*-?refund|cancel|resend-receipt) |^keys revoke /, 'Nothing has this id.'],
  [/^corpus distribute/, 'does not have the PostgreSQL extension citus'],
  // The list of suppressions needs a volume and a single corpus process.
  [/^corpus suppress /, 'needs CORPUS_SUPPRESSIONS, the file that keeps the list'],
  [/^source run /, 'There is no folder /data/zones/com that the corpus can read.'],
  [/^secrets /, 'deploy: the file system is read-only.'],
  [/^routing convert /, 'the file system is read-only. In a container, write below /tmp.'],
  [/^tlds refresh /, 'iana-files/dns.json: there is no such file or folder.'],
];

interface LivePod extends Pod {
  status?: { conditions?: { type: string; status: string }[] };
}

describe('the chart on a cluster with simulated nodes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'installation-'));
  let server: ApiServer;
  let chart: Chart;
  let certificates: IssuedCertificates;
  let installed: Pod[] = [];
  /** The certificates that cert-manager signed for the chart, by service. */
  const signed: Record<string, IssuedCertificate> = {};

  beforeAll(async () => {
    chart = new Chart((await chartTools()).helm);
    server = await ApiServer.start(await apiServerPrograms());
    await server.define(await customDefinitions());
    await SimulatedCluster.start(server, await controllers());
    await server.createRestricted(NAMESPACE);
    certificates = new IssuedCertificates(server.client, NAMESPACE, `${RELEASE}-dds`);
    // The addresses at which the processes of these pods reach their servers.
    writeSecretFiles({
      folder,
      database: 'postgres:5432/domain_data?sslmode=disable',
      smtpUrl: 'smtp://mail:25',
      stripe: { apiKey: 'sk_test_of_the_simulator', callbackSecret: 'whsec_of_the_simulator' },
    });
    const files = readdirSync(folder).filter((name) => name !== 'service_secrets_source');
    const data = files.map((name) => [name, readFileSync(join(folder, name), 'base64')]);
    await server.client.create(SECRETS, {
      metadata: { name: 'dds' },
      data: Object.fromEntries(data),
    });
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const place = () => ({ kubeconfig: server.kubeconfig, namespace: NAMESPACE });
  const podsOf = async (kind: 'services' | 'migrate') =>
    (await server.client.list<LivePod>(PODS)).filter(
      ({ metadata }) =>
        (metadata.labels['app.kubernetes.io/component'] === 'migrate') === (kind === 'migrate'),
    );
  const imagesOf = (pods: Pod[]) => [
    ...new Set(pods.flatMap(({ spec }) => spec.containers.map(({ image }) => image))),
  ];

  /** The smallest number of pods of each service that were ready at once while `work` ran. */
  async function fewestReady(change: Promise<unknown>): Promise<Record<string, number>> {
    const fewest: Record<string, number> = {};
    let isDone = false;
    const done = change.finally(() => (isDone = true));
    await waitFor(
      'the change',
      async () => {
        const ready: Record<string, number> = {};
        for (const { metadata, status } of await podsOf('services')) {
          const name = metadata.labels['app.kubernetes.io/component'];
          const one = isTrue(status?.conditions, 'Ready') && !('deletionTimestamp' in metadata);
          ready[name] = (ready[name] ?? 0) + Number(one);
        }
        for (const [name, count] of Object.entries(ready)) {
          fewest[name] = Math.min(fewest[name] ?? count, count);
        }
        return isDone;
      },
      600_000,
    );
    await done;
    return fewest;
  }

  const NAMES: string[] = SERVICES.map(({ name }) => name).toSorted();

  it('is installed: the migration has run, and every pod is ready, on several nodes', async () => {
    expect(await chart.install(place(), VALUES, ...SETS)).toContain('STATUS: deployed');
    installed = await podsOf('services');
    const names = installed.map(({ metadata }) => metadata.labels['app.kubernetes.io/component']);
    expect([...new Set(names)].toSorted()).toEqual([...NAMES, 'cli'].toSorted());
    expect(installed.every((pod) => isTrue((pod as LivePod).status?.conditions, 'Ready'))).toBe(
      true,
    );
    expect(new Set(installed.map(({ spec }) => spec.nodeName)).size).toBeGreaterThan(1);
    expect((await podsOf('migrate')).map((pod) => pod.spec.restartPolicy)).toEqual(['Never']);
  });

  it('S112: cert-manager signs each service a certificate that is valid only for its name and for one day', async () => {
    for (const name of [...NAMES, 'cli']) {
      signed[name] = await certificates.of(name);
      const { certificate, authority } = signed[name];
      expect(certificate.subjectAltName).toBe(`DNS:${name}`);
      const [from, to] = [certificate.validFrom, certificate.validTo].map((at) => Date.parse(at));
      expect(to - from).toBe(DAY_MS);
      expect([certificate.verify(authority.publicKey), certificate.ca]).toEqual([true, false]);
      expect([authority.ca, authority.fingerprint256]).toEqual([
        true,
        signed.account.authority.fingerprint256,
      ]);
    }
  });

  it('S112: a renewed certificate has a new key and the same authority', async () => {
    const before = signed.account;
    await certificates.renew('account');
    signed.account = await certificates.of('account', before);
    expect(signed.account.files['tls.key']).not.toBe(before.files['tls.key']);
    expect(signed.account.files['ca.crt']).toBe(before.files['ca.crt']);
  });

  it('is upgraded while at least one pod of each service is ready', async () => {
    const fewest = await fewestReady(chart.upgrade(place(), VALUES, ...SETS, NEXT));
    expect(Object.keys(fewest).toSorted()).toEqual([...NAMES, 'cli'].toSorted());
    // A single worker is replaced on its volume; uploads and jobs wait for it.
    delete fewest.cli;
    delete fewest.worker;
    expect(Object.values(fewest).filter((count) => count < 1)).toEqual([]);
    await waitFor('the last of the old pods to end', async () =>
      imagesOf(await podsOf('services')).every((image) => image.endsWith(':next')),
    );
  });

  it('is rolled back in the same way', async () => {
    const {
      cli: _waiting,
      worker: _alone,
      ...fewest
    } = await fewestReady(chart.rollback(place(), 1));
    expect(Object.values(fewest).filter((count) => count < 1)).toEqual([]);
    await waitFor('the last of the new pods to end', async () =>
      imagesOf(await podsOf('services')).every((image) => image.endsWith(IMAGE)),
    );
  });

  describe('the containers of its pods, run as processes from the image', () => {
    const images = new ImageStore();
    let deployment: ImageDeployment | undefined;

    beforeAll(async () => {
      const image = await images.build();
      const services = await server.client.list<KubernetesObject>(
        `/api/v1/namespaces/${NAMESPACE}/services`,
      );
      const plan = chartPlan({
        pods: [...(await podsOf('services')), ...(await podsOf('migrate'))],
        services: Object.fromEntries(
          services.map(({ metadata, spec }) => [
            metadata.name,
            (spec as { selector: Record<string, string> }).selector,
          ]),
        ),
      });
      const issue = (app: string, into: string) => writeCertificate(signed[app], into);
      deployment = await ImageDeployment.start(images, image, { ...plan, issue });
    });
    afterAll(async () => {
      await deployment?.stop();
      await images.remove();
    });

    it('every one of them is ready', () => {
      const running = deployment!.containers.filter(({ isRunning }) => isRunning);
      // The pod for operator commands waits.
      expect(running).toHaveLength(installed.length - 1);
    });

    it('S112: every command of the manual works with the certificate of its pod, or explains in a sentence why it does not', async () => {
      const ada = new Customer(deployment!.deployed, 'ada@example.com');
      await ada.joinWithCredits();
      const subjects: Record<string, string> = { [ACCOUNT]: ada.accountId, 50000: '500' };
      const page = readFileSync('docs/operations/command-line.md', 'utf8');
      const examples = [...page.matchAll(/^npm run cli -- (.+)$/gm)].map(([, example]) => example);
      expect(examples).toHaveLength(Object.keys(MANUAL).length);
      const ends = [];
      for (const example of examples) {
        const words = exampleWords(example).map((word) => subjects[word] ?? word);
        ends.push({ example, ...(await deployment!.command(words)) });
      }
      const expected = examples.map((example) => {
        const refused = REFUSED.find(([start]) => start.test(example));
        const output = refused ? expect.stringContaining(refused[1]) : expect.any(String);
        return { example, code: refused ? 1 : 0, output };
      });
      expect(ends).toEqual(expected);
      expect(ends.filter(({ output }) => output.includes('\n    at '))).toEqual([]);
    });

    describe('from sign-up to erasure', () => firstLight(() => deployment!.deployed));
  });
});
