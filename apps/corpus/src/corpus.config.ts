import { IsBoolean, IsIn, IsInt, IsOptional, IsString, IsUrl, Max, Min } from 'class-validator';
import { DatabaseUrl } from '#libs/database';
import { InternalCallsConfig, PortSetting, Setting } from '#libs/platform';

export class CorpusConfig extends InternalCallsConfig {
  @Setting({ env: 'CORPUS_HOST', about: 'Address of the internal listener.' })
  @IsString()
  host: string = '127.0.0.1';

  @PortSetting({
    env: 'CORPUS_PORT',
    about: 'Port of the internal listener; 0 selects a free port.',
  })
  port: number = 0;

  @DatabaseUrl('CORPUS_DATABASE_URL', 'corpus')
  databaseUrl: string;

  @DatabaseUrl('CORPUS_MAINTENANCE_DATABASE_URL', 'corpus_maintenance')
  maintenanceDatabaseUrl: string;

  @Setting({
    env: 'CORPUS_SEARCHES',
    about:
      'Maximum number of searches that run at the same time, each on its own connection, at most a quarter of them for one account; others wait.',
  })
  @IsInt()
  @Min(1)
  @Max(100)
  searches: number = 8;

  @Setting({
    env: 'CORPUS_SEARCH_TIMEOUT_MS',
    about: 'Time limit for a search; after it, the search answers 503 and costs nothing.',
  })
  @IsInt()
  @Min(100)
  @Max(20_000)
  searchTimeoutMs: number = 2_000;

  @Setting({
    env: 'CORPUS_WORK',
    about:
      'What this process does: "both", "serve" (searches, no imports) or "import" (imports only; callers must use another process).',
  })
  @IsIn(['both', 'serve', 'import'])
  work: 'both' | 'serve' | 'import' = 'both';

  @Setting({
    env: 'CORPUS_SELL_GENERATED',
    about:
      'Whether database files contain sample names, for trials; leave it off in real installations.',
  })
  @IsBoolean()
  isGeneratedSold: boolean = false;

  @Setting({
    env: 'CORPUS_IMPORT_FOLDER',
    about: "Folder for source files during an import. Unset: the system's temporary folder.",
  })
  @IsOptional()
  @IsString()
  importFolder?: string;

  @Setting({
    env: 'CORPUS_IMPORT_MAX_GIB',
    about: 'Maximum size of a file of a source, unpacked, in GiB.',
  })
  @IsInt()
  @Min(1)
  @Max(10_000)
  importMaxGib: number = 100;

  @Setting({
    env: 'CORPUS_UPSTREAM_EXCEPTIONS',
    about:
      'host:port=address:port, separated by commas: hosts of sources at a fixed address, without the check for public addresses. For simulators and closed networks.',
  })
  @IsString()
  upstreamExceptions: string = '';

  @Setting({
    env: 'CORPUS_EXTRA_CA_FILE',
    about:
      'PEM file of certificate authorities that hosts of sources may use in addition to the public ones.',
  })
  @IsOptional()
  @IsString()
  extraCaFile?: string;

  @Setting({
    env: 'CORPUS_S3_ENDPOINT',
    about:
      'Origin of the S3 server for sources at s3://bucket/prefix, such as https://s3.example.org. Unset: Amazon S3 in the region.',
  })
  @IsOptional()
  @IsUrl({ require_tld: false, require_protocol: true, protocols: ['http', 'https'] })
  s3Endpoint?: string;

  @Setting({ env: 'CORPUS_S3_REGION', about: 'Region of the buckets of sources.' })
  @IsString()
  s3Region: string = 'us-east-1';

  @Setting({
    env: 'CORPUS_S3_PATH_STYLE',
    about: 'Whether the bucket is part of the path instead of the host name.',
  })
  @IsBoolean()
  s3PathStyle: boolean = false;

  @Setting({
    env: 'CORPUS_S3_ACCESS_KEY_ID',
    about: "Access key of the buckets of sources. Unset: the machine's own role.",
  })
  @IsOptional()
  @IsString()
  s3AccessKeyId?: string;

  @Setting({
    env: 'CORPUS_S3_SECRET_ACCESS_KEY',
    about: 'Secret of that access key.',
    secret: true,
    mayBeMissing: true,
  })
  @IsOptional()
  @IsString()
  s3SecretAccessKey?: string;

  @Setting({
    env: 'CORPUS_SUPPRESSIONS',
    about:
      'File with the list of suppressed values; store it with the secrets, on a disk that all processes of the corpus share. Unset: nothing can be suppressed.',
  })
  @IsOptional()
  @IsString()
  suppressionsPath?: string;
}
