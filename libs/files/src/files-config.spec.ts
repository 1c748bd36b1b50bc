import { describe, expect, it } from '@jest/globals';
import { ConfigurationError, loadConfig } from '#libs/platform';
import { FilesConfig, bucketOf } from './files.config.js';

const ENDPOINT = 'https://s3.example.org';
const faultsOf = (settings: Record<string, string>) => {
  try {
    loadConfig(FilesConfig, settings);
    return '';
  } catch (error) {
    return (error as ConfigurationError).message;
  }
};

describe('settings of the file store', () => {
  it.each([
    ['/var/lib/files', undefined],
    ['files', undefined],
    ['s3://bucket', { bucket: 'bucket', prefix: '' }],
    ['s3://bucket/', { bucket: 'bucket', prefix: '' }],
    ['s3://my-bucket.eu/a/b', { bucket: 'my-bucket.eu', prefix: 'a/b/' }],
  ])('%s is accepted as a location', (location, place) => {
    expect(bucketOf(loadConfig(FilesConfig, { FILES_LOCATION: location }))).toEqual(place);
  });

  it.each([
    's3://',
    's3://UPPER',
    's3://b',
    's3://bucket/..',
    's3://bucket//a',
    'gs://bucket',
    'https://x',
  ])('%s is rejected as a location', (location) => {
    expect(faultsOf({ FILES_LOCATION: location })).toContain(
      'FILES_LOCATION: must be a folder, or s3://bucket/prefix',
    );
  });

  it('S112: a server on another machine is reached over TLS, or the network is declared private', () => {
    const plain = { FILES_LOCATION: 's3://bucket', FILES_S3_ENDPOINT: 'http://minio:9000' };
    expect(faultsOf(plain)).toContain('FILES_S3_ENDPOINT: must begin with https://');
    for (const settings of [
      { ...plain, FILES_S3_TLS: 'false' },
      { ...plain, FILES_S3_ENDPOINT: 'http://127.0.0.1:9000' },
      { ...plain, FILES_S3_ENDPOINT: ENDPOINT },
    ]) {
      expect(faultsOf(settings)).toBe('');
    }
  });

  it('an access key is given with its secret, or neither is given', () => {
    const secret = 'a-long-secret';
    expect(faultsOf({ FILES_S3_ACCESS_KEY_ID: 'key' })).toContain('FILES_S3_SECRET_ACCESS_KEY');
    expect(faultsOf({ FILES_S3_SECRET_ACCESS_KEY: secret })).toContain('FILES_S3_ACCESS_KEY_ID');
    expect(faultsOf({ FILES_S3_ACCESS_KEY_ID: 'key', FILES_S3_SECRET_ACCESS_KEY: secret })).toBe(
      '',
    );
  });

  it('a public endpoint that is not an origin is rejected', () => {
    expect(faultsOf({ FILES_S3_PUBLIC_ENDPOINT: 'files.example.org' })).toContain(
      'FILES_S3_PUBLIC_ENDPOINT',
    );
  });
});
