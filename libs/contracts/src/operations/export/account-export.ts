import { applyDecorators } from '@nestjs/common';
import { IsObject, IsString } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { defineOperation } from '../operation.js';

/** The rows of each table, as the service stores them, without secrets or internal values. */
type HeldRows = Record<string, Record<string, unknown>[]>;

const HeldTables = () =>
  applyDecorators(
    IsObject(),
    JSONSchema({
      additionalProperties: {
        type: 'array',
        items: { type: 'object', additionalProperties: true },
      },
    }),
  );

/** The data that the product stores about an account, without secrets, their hashes, or internal values. */
export class AccountExportAnswer {
  @IsString()
  account_id: string;

  /** You, your keys, sessions, billing details, and the audit log. */
  @HeldTables()
  account: HeldRows;

  /** Orders, payments, refunds, subscriptions, invoices, callbacks of processors. */
  @HeldTables()
  billing: HeldRows;

  /** Credits and their ledger, limits and blocks. Amounts are decimal strings. */
  @HeldTables()
  entitlement: HeldRows;

  /** Requests of the last 90 days, and request counts of the last 13 months. */
  @HeldTables()
  gateway: HeldRows;

  /** Uploads, jobs and the locations of their results, monitors, webhooks, and their events and deliveries. */
  @HeldTables()
  worker: HeldRows;
}

const ID = '019a5f00-0000-7000-8000-000000000001';

export const ACCOUNT_EXPORT = defineOperation({
  name: 'account.export',
  summary: 'The data stored about the account, as one JSON file',
  description:
    'The file is streamed without a size limit, at most five times an hour. A file that breaks off is not valid JSON: request it again.',
  method: 'GET',
  routes: [{ path: '/api/account/export', version: 2 }],
  access: { kind: 'session', needsReauthentication: true },
  owner: { service: 'account', path: '/internal/dashboard/account/export' },
  parts: [
    { service: 'billing', path: '/internal/export' },
    { service: 'entitlement', path: '/internal/export' },
    { service: 'gateway', path: '/internal/export' },
    { service: 'worker', path: '/internal/export' },
  ],
  parameters: {},
  answers: [{ type: 'application/json', of: AccountExportAnswer }],
  price: { per: 'free' },
  problems: ['too_many_attempts'],
  examples: [
    {
      title: 'A new account',
      parameters: {},
      answer: {
        account_id: ID,
        account: { accounts: [{ id: ID, state: 'active' }] },
        billing: { orders: [] },
        entitlement: { credit_grants: [{ source_type: 'trial', granted: '500' }] },
        gateway: { request_log: [] },
        worker: { jobs: [] },
      },
    },
  ],
});
