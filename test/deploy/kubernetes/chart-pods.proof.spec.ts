import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ACCOUNT } from '../../../apps/cli/src/example-answers.js';
import { MANUAL, exampleWords } from '../../../apps/cli/src/manual.js';
import { SERVICES } from '../../../apps/services.js';
import { Customer } from '../../stories/customer.js';
import { firstLight } from '../../stories/first-light.story.js';
import { Chart } from '../chart.js';
import { chartPlan } from '../chart-plan.js';
import { CHART_VALUES } from '../chart-values.js';
import { ImageDeployment } from '../image-deployment.js';
import { ImageStore } from '../image.js';
import { chartTools } from '../tools/programs.js';

/** A limit that allows for building an image from nothing and starting a process for each pod. */
jest.setTimeout(1_800_000);

/** Values that enable every service, and operator commands with a superuser's password. */
const SETS = [
  'services.billing.enabled=true',
  'cli.superuser=true',
  'postgresql.maxConnections=200',
];
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

describe('the containers of the chart’s pods, run as processes from the image', () => {
  const images = new ImageStore();
  let deployment: ImageDeployment | undefined;

  beforeAll(async () => {
    const chart = new Chart((await chartTools()).helm);
    const resources = await chart.render(CHART_VALUES.defaults, ...SETS);
    const image = await images.build();
    deployment = await ImageDeployment.start(images, image, chartPlan(resources));
  });
  afterAll(async () => {
    await deployment?.stop();
    await images.remove();
  });

  it('every one of them is ready', () => {
    const running = deployment!.containers.filter(({ isRunning }) => isRunning);
    // The pod for operator commands waits.
    expect(running).toHaveLength(SERVICES.length);
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
