import {
  IsBoolean,
  IsOptional,
  IsString,
  IsUrl,
  Matches,
  MinLength,
  ValidateBy,
  ValidateIf,
  type ValidationArguments,
} from 'class-validator';
import { Setting, isLoopbackOrigin } from '#libs/platform';

const URL_RULES = { require_tld: false, require_protocol: true, protocols: ['http', 'https'] };
/** A bucket's name (S3: 3 to 63 characters), then a prefix with the same parts as file keys. */
const BUCKET = /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[a-z0-9][a-z0-9._-]*)*\/?$/;

export class FilesConfig {
  @Setting({
    env: 'FILES_LOCATION',
    about:
      'Where uploads and results are stored: a folder on a disk that all processes of a service share, or s3://bucket/prefix.',
  })
  @IsString()
  @MinLength(1)
  @ValidateBy({
    name: 'isFilesLocation',
    validator: {
      validate: (value: unknown) => !isUrl(value) || BUCKET.test(value),
      defaultMessage: () =>
        '$property must be a folder, or s3://bucket/prefix in lower-case letters',
    },
  })
  filesLocation: string = 'files';

  @Setting({
    env: 'FILES_S3_ENDPOINT',
    about:
      'Origin of the S3 server, such as https://s3.example.org. Unset: Amazon S3 in the region.',
  })
  @IsOptional()
  @IsUrl(URL_RULES)
  @ValidateBy({
    name: 'protectsFiles',
    validator: {
      validate: (_, given) => tlsFault(configOf(given)) === undefined,
      defaultMessage: (given) => `$property ${tlsFault(configOf(given))}`,
    },
  })
  filesS3Endpoint?: string;

  @Setting({
    env: 'FILES_S3_TLS',
    about:
      'Whether the S3 server uses TLS; false declares that the network to an http:// endpoint is private.',
  })
  @IsBoolean()
  filesS3Tls: boolean = true;

  @Setting({ env: 'FILES_S3_REGION', about: 'Region of the bucket.' })
  @IsString()
  @Matches(/^[a-z0-9-]{1,40}$/)
  filesS3Region: string = 'us-east-1';

  @Setting({
    env: 'FILES_S3_PATH_STYLE',
    about:
      'Whether the bucket is part of the path instead of the host name, as most self-hosted servers require.',
  })
  @IsBoolean()
  filesS3PathStyle: boolean = false;

  @Setting({
    env: 'FILES_S3_ACCESS_KEY_ID',
    about:
      "Access key for the bucket. Unset: credentials that the AWS SDK finds, such as the machine's role.",
  })
  @ValidateIf(({ filesS3SecretAccessKey }: FilesConfig) => !!filesS3SecretAccessKey)
  @IsString()
  @Matches(/^\S{3,128}$/)
  filesS3AccessKeyId?: string;

  @Setting({
    env: 'FILES_S3_SECRET_ACCESS_KEY',
    about: 'Secret of FILES_S3_ACCESS_KEY_ID.',
    secret: true,
    isFollowed: true,
    mayBeMissing: true,
  })
  @ValidateIf(({ filesS3AccessKeyId }: FilesConfig) => !!filesS3AccessKeyId)
  @IsString()
  @MinLength(8)
  filesS3SecretAccessKey?: string;

  @Setting({
    env: 'FILES_S3_PUBLIC_ENDPOINT',
    about:
      'Origin at which customers reach the bucket for downloads, if it differs from FILES_S3_ENDPOINT.',
  })
  @IsOptional()
  @IsUrl(URL_RULES)
  filesS3PublicEndpoint?: string;

  @Setting({
    env: 'FILES_S3_REDIRECTS',
    about:
      'Whether downloads are redirected to the bucket, to URLs that work for at most 15 minutes; set it to false if customers cannot reach the bucket.',
  })
  @IsBoolean()
  filesS3Redirects: boolean = true;
}

/** Whether a location is `s3://bucket/prefix`. */
export const isBucketLocation = (location: string) => BUCKET.test(location);

/** Returns the bucket and the prefix of a store on S3; undefined for a folder. The prefix is empty or ends with `/`. */
export function bucketOf({
  filesLocation,
}: FilesConfig): { bucket: string; prefix: string } | undefined {
  if (!isUrl(filesLocation)) return undefined;
  const [bucket, ...parts] = filesLocation.replace(/^s3:\/\/|\/$/g, '').split('/');
  return { bucket, prefix: parts.map((part) => `${part}/`).join('') };
}

const isUrl = (value: unknown): value is string =>
  typeof value === 'string' && /^[a-z0-9+.-]*:\/\//i.test(value);
const configOf = (given?: ValidationArguments) => given?.object as FilesConfig;

function tlsFault({ filesS3Endpoint = '', filesS3Tls }: FilesConfig): string | undefined {
  if (!filesS3Endpoint.startsWith('http:') || !URL.canParse(filesS3Endpoint)) return undefined;
  if (filesS3Tls === false || isLoopbackOrigin(filesS3Endpoint)) return undefined;
  return 'must begin with https://, unless FILES_S3_TLS is false because the network to it is private';
}
