import { describe, expect, it } from '@jest/globals';
import { ConfigurationError, loadConfig } from '#libs/platform';
import { EventsConfig } from '#libs/messaging';

const ELSEWHERE = { KAFKA_BROKERS: 'kafka-1.example:9093,127.0.0.1:9092' };
const LOGIN = { KAFKA_SASL_USERNAME: 'account', KAFKA_SASL_PASSWORD: 'a password' };

function faultsOf(environment: Record<string, string>): string[] {
  try {
    loadConfig(EventsConfig, environment);
    return [];
  } catch (error) {
    return (error as ConfigurationError).faults;
  }
}

describe('the transport of events', () => {
  it.each([
    {},
    { KAFKA_BROKERS: '127.0.0.1:9092,localhost:9093' },
    { ...ELSEWHERE, KAFKA_TLS: 'false' },
    { ...ELSEWHERE, KAFKA_TLS: 'true', ...LOGIN },
    { ...ELSEWHERE, KAFKA_TLS: 'true', ...LOGIN, KAFKA_SASL_MECHANISM: 'plain' },
    { ...ELSEWHERE, KAFKA_TLS: 'true', KAFKA_TLS_FOLDER: '/run/kafka' },
    { KAFKA_BROKERS: '127.0.0.1:9092', KAFKA_TLS: 'true' },
  ])('S112: a service starts with %j', (environment) => {
    expect(faultsOf(environment as Record<string, string>)).toEqual([]);
  });

  it.each([
    [ELSEWHERE, /^KAFKA_TLS: must be true, or false if the network to the brokers is private/],
    [{ ...ELSEWHERE, KAFKA_TLS: 'true' }, /^KAFKA_SASL_USERNAME: must be a string/],
    [{ ...ELSEWHERE, KAFKA_TLS: 'false', ...LOGIN }, /^KAFKA_TLS: must be on when KAFKA_SASL/],
    [
      { ...ELSEWHERE, KAFKA_TLS: 'false', ...LOGIN, KAFKA_SASL_MECHANISM: 'plain' },
      /^KAFKA_TLS: must be on when KAFKA_SASL/,
    ],
    [
      { ...ELSEWHERE, KAFKA_TLS: 'true', ...LOGIN, KAFKA_SASL_MECHANISM: 'gssapi' },
      /^KAFKA_SASL_MECHANISM: must be one of/,
    ],
    [
      { ...ELSEWHERE, KAFKA_TLS: 'false', KAFKA_TLS_FOLDER: '/run/kafka' },
      /^KAFKA_TLS: must be on when KAFKA_TLS_FOLDER/,
    ],
    [{ KAFKA_BROKERS: '127.0.0.1:9092', ...LOGIN }, /^KAFKA_TLS: must be on when KAFKA_SASL/],
  ])('S112: a service does not start with %j', (environment, sentence) => {
    expect(faultsOf(environment as Record<string, string>)).toEqual([
      expect.stringMatching(sentence),
    ]);
  });
});
