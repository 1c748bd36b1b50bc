import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { type Server, createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { CertificateAuthority } from '#libs/resolvers';
import { makeOwnFolder } from '#test/environment';

export interface ReceivedEvent {
  host: string;
  headers: Record<string, string>;
  body: string;
}

/** A receiver of webhooks for every host below `hooks.example`. */
export class WebhookReceiver {
  /** The status that each host returns; -1 means that it never answers. */
  readonly answers = new Map<string, number>();
  readonly hanging = new Set<ServerResponse>();
  private readonly received: ReceivedEvent[] = [];
  private server: Server;
  private settings = { webhookExceptions: '', extraCaFile: '' };

  /** @returns the settings that make the worker send webhooks to this receiver. */
  async start(): Promise<{ webhookExceptions: string; extraCaFile: string }> {
    const authority = new CertificateAuthority();
    const { keyPem: key, certificatePem: cert } = authority.certificateFor(['*.hooks.example']);
    this.server = createServer({ key, cert }, (request, response) => {
      let body = '';
      request.on('data', (part: Buffer) => (body += part.toString()));
      request.on('end', () => {
        const { host = '' } = request.headers;
        this.received.push({ host, headers: request.headers as Record<string, string>, body });
        this.answer(host, response);
      });
    });
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    const extraCaFile = join(makeOwnFolder('webhooks'), 'ca.pem');
    writeFileSync(extraCaFile, authority.certificatePem);
    const { port } = this.server.address() as AddressInfo;
    const webhookExceptions = `*.hooks.example:443=127.0.0.1:${port}`;
    return (this.settings = { webhookExceptions, extraCaFile });
  }

  get environment(): Record<string, string> {
    const { webhookExceptions, extraCaFile } = this.settings;
    return {
      WORKER_WEBHOOK_EXCEPTIONS: webhookExceptions,
      WORKER_EXTRA_CA_FILE: extraCaFile,
    };
  }

  arrivedAt(host: string): ReceivedEvent[] {
    return this.received.filter((one) => one.host === host);
  }

  stop(): void {
    this.hanging.forEach((response) => response.destroy());
    this.server?.closeAllConnections();
    this.server?.close();
  }

  private answer(host: string, response: ServerResponse): void {
    const status = this.answers.get(host) ?? 204;
    if (status !== -1) {
      response.writeHead(status, { location: 'https://other.hooks.example/' }).end();
      return;
    }
    this.hanging.add(response.once('close', () => this.hanging.delete(response)));
  }
}
