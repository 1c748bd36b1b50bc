import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LoopbackInternet } from '../loopback-internet.contract.js';
import { Port43Client } from './port43.js';
import { runHostileNames } from '../../../../test/hostile-names.js';

const HOST = 'whois.nic.example';
const PATIENT = { connectMs: 60_000, firstByteMs: 60_000, wholeMs: 60_000 };
const TEXTS = 1_000_000;
let internet: LoopbackInternet;

beforeAll(async () => {
  internet = new LoopbackInternet();
  await internet.whois(HOST, 'Domain Name: a.example\r\n');
});
afterAll(() => internet.close());

describe('port 43', () => {
  it(`S61: only the names among ${TEXTS} hostile texts are queried, each in one line`, async () => {
    const client = new Port43Client(internet.connector(), PATIENT);
    const { accepted, refused, faults, sample } = runHostileNames(1_061, TEXTS);
    expect(faults).toEqual([]);
    expect([accepted, refused].every((count) => count > TEXTS / 10)).toBe(true);
    for (const name of sample) await client.ask(HOST, name);
    expect(internet.asked).toEqual(sample.map((name) => `${HOST} ${name}\r\n`));
  });
});
