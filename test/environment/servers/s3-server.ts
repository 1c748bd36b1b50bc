import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { S3Client } from '@aws-sdk/client-s3';
import { freePorts } from '#libs/platform';
import { Daemon } from '../../../apps/simulators/src/dns/daemon.js';
import { s3Server } from '../../deploy/tools/programs.js';

export { s3ServerAvailability } from '../../deploy/tools/programs.js';

const BUCKET = 'files';
const LOGIN = { accessKeyId: 'test-access', secretAccessKey: 'test-secret-key' };

/** A real S3 server on loopback with one bucket, whose objects are stored in a folder. */
export class S3Server {
  private constructor(
    private readonly daemon: Daemon,
    readonly endpoint: string,
  ) {}

  static async start(folder: string): Promise<S3Server> {
    const program = await s3Server();
    const [objects, facts] = ['objects', 'facts'].map((name) => join(folder, name));
    for (const each of [objects, facts]) mkdirSync(each, { recursive: true });
    const [port] = await freePorts(1);
    const login = ['--access', LOGIN.accessKeyId, '--secret', LOGIN.secretAccessKey];
    const words = ['--port', `127.0.0.1:${port}`, ...login, '--quiet', '--keep-alive'];
    const daemon = await Daemon.start(program, [...words, 'posix', '--sidecar', facts, objects], {
      address: '127.0.0.1',
      port,
    });
    const server = new S3Server(daemon, `http://127.0.0.1:${port}`);
    const { CreateBucketCommand } = await import('@aws-sdk/client-s3');
    const client = await server.client();
    await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
    client.destroy();
    return server;
  }

  /** Returns the settings that make services store their files in this bucket. */
  settings(): Record<string, string> {
    return {
      FILES_LOCATION: `s3://${BUCKET}/dds`,
      FILES_S3_ENDPOINT: this.endpoint,
      FILES_S3_PATH_STYLE: 'true',
      FILES_S3_ACCESS_KEY_ID: LOGIN.accessKeyId,
      FILES_S3_SECRET_ACCESS_KEY: LOGIN.secretAccessKey,
    };
  }

  /** Returns a client to check objects directly. Its code is loaded only here: most tests do not need it. */
  async client(): Promise<S3Client> {
    const { endpoint } = this;
    const { S3Client } = await import('@aws-sdk/client-s3');
    return new S3Client({
      endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: LOGIN,
    });
  }

  async stop(): Promise<void> {
    await this.daemon.stop();
  }
}
