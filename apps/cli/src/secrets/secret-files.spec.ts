import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { PairSecrets } from '#libs/platform';
import { writeSecretFiles } from './secret-files.js';

const folder = mkdtempSync(join(tmpdir(), 'secret-files-'));
const sources = { folder, database: 'postgres:5432/domain_data', smtpUrl: 'smtp://mail:25' };
const paypal = 'billing_paypal_client_secret';
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
afterAll(() => rmSync(folder, { recursive: true }));

it('an empty secret, which a full disk has left behind, is replaced, and no other secret is derived from it', () => {
  writeFileSync(join(folder, 'service_secrets_source'), '');
  expect(writeSecretFiles(sources)).toContain('service_secrets_source');
  expect(read('service_secrets_source')).toMatch(/^.{43}$/);
  expect(read('cli_service_secret')).not.toBe(new PairSecrets('').textFor('cli'));
  expect(writeSecretFiles(sources)).toEqual([]);
});

it('the empty secret of an unused processor is written once the processor is used', () => {
  const stripe = { apiKey: 'sk_test_of_somebody', callbackSecret: 'whsec_of_somebody' };
  expect(writeSecretFiles({ ...sources, stripe })).toContain(paypal);
  expect(read(paypal)).toBe('');
  expect(writeSecretFiles({ ...sources, stripe })).toEqual([]);
  expect(writeSecretFiles({ ...sources, stripe, paypalClientSecret: 'own' })).toEqual([paypal]);
  expect(read(paypal)).toBe('own');
});
